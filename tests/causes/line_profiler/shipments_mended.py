"""Labels for the shipments of the day."""
from shipping.labels import label_all
from shipping.model import customers, shipments

print(len(label_all(shipments(1500), customers(4000))))
