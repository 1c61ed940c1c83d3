"""`python -m softdock`: the command line, where the command `softdock` is not on the search path."""

from softdock.cli import main

if __name__ == "__main__":
    main()
