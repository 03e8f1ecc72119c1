"""Which import each review came with, and which later imports replaced it; the reviews there are become one import."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "imports",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id", ondelete="CASCADE"), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("removed", sa.Boolean, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_imports_project_id", "imports", ["project_id"])
    op.add_column("reviews", sa.Column("import_id", sa.Integer))
    op.execute(
        "INSERT INTO imports (project_id, name, digest, created, removed) "
        "SELECT id, '', '', created, false FROM projects "
        "WHERE EXISTS (SELECT 1 FROM reviews WHERE reviews.project_id = projects.id)"
    )
    op.execute("UPDATE reviews SET import_id = (SELECT id FROM imports WHERE imports.project_id = reviews.project_id)")
    op.create_index("ix_reviews_import_id", "reviews", ["import_id"])
    op.create_table(
        "replacements",
        sa.Column("import_id", sa.Integer, sa.ForeignKey("imports.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("review_id", sa.Integer, sa.ForeignKey("reviews.id", ondelete="CASCADE"), primary_key=True),
    )
    op.create_index("ix_replacements_review_id", "replacements", ["review_id"])
