"""Print the price list of a branch."""
import sys

from prices import table

print(table.render(sys.argv[1]))
