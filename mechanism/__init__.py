"""The reference mechanism: its parameters, its shapes and the script that writes its STEP files."""
