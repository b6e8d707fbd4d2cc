"""``python -m constrained_du``: the command line."""

import sys

from constrained_du.cli.main import main

sys.exit(main())
