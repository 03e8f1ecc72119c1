"""Groups of aspects."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("aspects", sa.Column("group", sa.String(200), nullable=False, server_default=""))
