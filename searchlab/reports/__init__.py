"""Reports: tables as text, and as files for programs and papers."""
