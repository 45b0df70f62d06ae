from bs4 import BeautifulSoup
def parse(page): return BeautifulSoup(page, "html.parser")
def title_of(soup): return soup.title.string
def links_of(soup): return [a["href"] for a in soup.find_all("a")]
def words_of(soup): return len(soup.get_text().split())
def index(pages): return [(title_of(s), links_of(s), words_of(s)) for s in map(parse, pages)]
def make(i): return f"<html><head><title>Page {i}</title></head><body>" + "".join(f"<p>Text {j} <a href='/p/{j}'>link {j}</a></p>" for j in range(60)) + "</body></html>"
def main(): print(len(index([make(i) for i in range(40)])))
main()
