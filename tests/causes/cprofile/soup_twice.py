from bs4 import BeautifulSoup
def parse(page): return BeautifulSoup(page, "html.parser")
def title_of(page): return parse(page).title.string
def links_of(page): return [a["href"] for a in parse(page).find_all("a")]
def words_of(page): return len(parse(page).get_text().split())
def index(pages): return [(title_of(p), links_of(p), words_of(p)) for p in pages]
def make(i): return f"<html><head><title>Page {i}</title></head><body>" + "".join(f"<p>Text {j} <a href='/p/{j}'>link {j}</a></p>" for j in range(60)) + "</body></html>"
def main(): print(len(index([make(i) for i in range(40)])))
main()
