"""A plugin whose import fails."""

import no_such_module_anywhere  # noqa: F401
