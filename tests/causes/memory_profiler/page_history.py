class Browser:  # SPDX-License-Identifier: MIT
    def __init__(self):
        self.history = []
    @profile
    def open(self, number):
        page = b"%d" % number * 600_000
        text = page.decode()
        self.history.append(text)
        return len(text)
@profile
def surf(browser):
    total = 0
    for number in range(20):
        total += browser.open(number)
    return total
print(surf(Browser()))
