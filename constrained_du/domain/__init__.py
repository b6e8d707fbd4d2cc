"""Everything a developer has said, and what requests say: functions, exemplars, conversation functions."""
