import pytest

from fewaspect.core.errors import ConfigError
from fewaspect.core.extras import require


def test_an_absent_extra_is_refused_in_one_line_that_says_how_to_install_it():
    with pytest.raises(ConfigError) as caught:
        require("no_such_package.parquet", "tables", "Parquet")
    assert str(caught.value) == (
        'Parquet needs no_such_package, which is not installed. Run: pip install "fewaspect[tables]"'
    )


def test_a_module_that_is_there_is_returned():
    assert require("json.decoder", "tables", "JSON").JSONDecoder
