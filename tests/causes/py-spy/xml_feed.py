import xml.etree.ElementTree as ET  # SPDX-License-Identifier: MIT

FEED = "<feed>" + "".join(f"<item id='{i}'><title>t{i}</title><price>{i % 90}</price></item>" for i in range(900)) + "</feed>"


class Feed:
    def __init__(self, text):
        self.root = ET.fromstring(text)

    def item(self, key):
        for e in self.root.iter("item"):
            if e.get("id") == key:
                return e

    def price(self, key):
        return int(self.item(key).find("price").text)


feed = Feed(FEED)
print(sum(feed.price(str(i * 7 % 900)) for i in range(9000)))
