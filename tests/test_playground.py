"""The page in a real browser: Debian's Chromium, headless, against a real server.

Installs nothing: `apt-get install chromium` is the machine's business. A browser that is not
there is a failure that says so.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright
from served import PATIENCE, Served, served

pytestmark = pytest.mark.model

FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
"""As root, on a machine without a screen and without a way out."""
SLOW = PATIENCE * 1000.0  # milliseconds
EVIL = "<script>document.title='pwned'</script>"
EVIL_IMAGE = "<img src=x onerror=\"document.title='pwned'\">"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.fail("no Chromium here - apt-get install chromium, or name it in CHROMIUM", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(artifact_of: Callable[[str], Path]) -> Iterator[Served]:
    with served(artifact_of("restaurant_en")) as running:
        yield running


def opened(browser: Browser, server: Served, **context: Any) -> Iterator[Page]:
    """The page, ready; whatever it complains about in the console is a failure."""
    own = browser.new_context(**context)
    page = own.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type in ("error", "warning") else None)
    page.set_default_timeout(SLOW)
    expect.set_options(timeout=SLOW)
    page.goto(server.url)
    expect(page.locator("#functions li")).not_to_have_count(0)
    yield page
    own.close()
    assert [line for line in complaints if "400" not in line] == []


@pytest.fixture
def page(browser: Browser, server: Served) -> Iterator[Page]:
    yield from opened(browser, server, viewport={"width": 1280, "height": 900})


def said(page: Page, text: str) -> Locator:
    """Types an utterance and Enter; the call that comes of it."""
    page.fill("#utterance", text)
    before = page.locator("#cost").count() and page.locator("#cost").element_handle()
    page.press("#utterance", "Enter")
    if before:
        page.wait_for_function("old => !old.isConnected", arg=before)
    expect(page.locator("#cost")).to_be_visible()
    return page.locator("pre.call")


def select(page: Page, words: str) -> None:
    """Selects words of the utterance with the keyboard; an arrow key moves by what a person calls a letter."""
    page.locator("#utterance").evaluate("box => { box.focus(); box.setSelectionRange(0, 0); }")
    for _ in range(page.input_value("#utterance").index(words)):
        page.keyboard.press("ArrowRight")
    for _ in words:
        page.keyboard.press("Shift+ArrowRight")


def edit(page: Page, name: str, document: object) -> None:
    editor = page.locator(f"#{name}")
    if not editor.is_visible():
        page.locator("#editors details", has=editor).locator("summary").click()
    editor.fill(json.dumps(document))
    editor.press("Control+Enter")


def test_an_utterance_becomes_a_call_with_all_that_is_known_about_it(page: Page) -> None:
    call = said(page, "book me a table for four at 7pm")
    expect(call).to_have_text('book_table(party_size=4, time="19:00")')
    marks = page.locator("#highlighted mark")
    assert marks.all_inner_texts() == ["fourparty_size", "7pmtime"]
    expect(page.locator(".missing")).to_have_text("Missing: date")
    expect(page.locator("#result")).to_contain_text("Ask: book a table: date?")
    bars = page.locator("#result .bar .fill")
    assert bars.count() >= 6  # the confidence, and five alternatives
    widths = [float(bar.get_attribute("style").split(":")[1].rstrip("%; ")) for bar in bars.all()[:6]]
    assert widths[0] == widths[1] >= widths[2] and min(widths) >= 0 and max(widths) <= 100
    expect(page.locator("#evidence tbody tr").first).to_contain_text("book_table")
    assert "tokens evaluated" in page.locator("#cost").inner_text()


def test_now_expectations_and_functions_reach_the_converter(page: Page) -> None:
    page.click("#context summary")
    page.fill("#now", "2023-07-11T09:00:00")
    expect(said(page, "can we get a table on Friday")).to_contain_text('date="2023-07-14"')
    page.select_option("#expect-key", label="departing_city of book_train")
    page.click("#expect")
    expect(said(page, "Boston")).to_have_text('book_train(departing_city="Boston")')
    page.locator("#expectations .chip").click()
    expect(page.locator("#expectations .chip")).to_have_count(0)
    page.select_option("#choice", "show_menu")
    expect(said(page, "Boston")).to_contain_text("show_menu(")
    page.select_option("#choice", "none")
    expect(said(page, "Boston")).to_have_text("do_not_understand()")


def test_a_span_is_marked_with_the_mouse(page: Page) -> None:
    page.fill("#utterance", "table for 6 at Sunny Side Diner")
    box = page.locator("#utterance").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 3, box["y"] + 22)  # from before the first letter, over the line, to its end
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 22, steps=5)
    page.mouse.up()
    expect(page.locator("#selected")).to_have_text("“table for 6 at Sunny Side Diner”")
    page.mouse.dblclick(box["x"] + 30, box["y"] + 22)  # a double click selects the word under it
    expect(page.locator("#selected")).to_contain_text("table")
    expect(page.locator("#selected")).not_to_contain_text("Diner")
    page.select_option("#mark-key", "restaurant")
    page.fill("#mark-value", "R-17")
    page.click("#mark")
    expect(page.locator("#marks .chip")).to_contain_text("is restaurant = R-17")
    expect(said(page, "table for 6 at Sunny Side Diner")).to_contain_text('restaurant="R-17"')


def test_a_span_is_marked_with_the_keyboard_beyond_an_emoji(page: Page) -> None:
    text = "🍜🍜 table for 6 at Sunny Side Diner"
    page.fill("#utterance", text)
    select(page, "Sunny Side Diner")
    expect(page.locator("#selected")).to_have_text("“Sunny Side Diner”")
    page.select_option("#mark-key", "restaurant")
    page.locator("#mark").focus()
    page.keyboard.press("Enter")
    page.focus("#utterance")
    page.keyboard.press("Enter")
    expect(page.locator("pre.call")).to_contain_text('restaurant="Sunny Side Diner"')
    expect(page.locator("#highlighted mark").last).to_contain_text("Sunny Side Diner")


def test_a_recognised_value_is_taken_with_one_press(page: Page) -> None:
    page.fill("#utterance", "🍜 is there Thai food in NYC")
    page.locator("#found .chip", has_text="NYC").click()
    expect(page.locator("#selected")).to_have_text("“NYC”")
    assert (page.input_value("#mark-key"), page.input_value("#mark-value")) == ("city", "New York")
    page.click("#mark")
    expect(page.locator("#marks .chip")).to_contain_text("“NYC” is city = New York")
    page.fill("#utterance", "is there Thai food in LA")
    expect(page.locator("#marks .chip")).to_have_count(0)


def test_a_mistake_is_mended_on_the_spot(page: Page) -> None:
    text = "squeeze six of us in"
    said(page, text)
    page.select_option("#teach-function", "book_table")
    page.fill("#teach-text", "squeeze < party_size > of us in")
    page.click("#teach button")
    expect(page.locator("#decided")).to_contain_text("exemplar")
    expect(page.locator("pre.call")).to_have_text("book_table(party_size=6)")
    expect(page.locator("#compiled")).to_contain_text("10 functions")


def test_specs_are_edited_and_compiled_live(page: Page) -> None:
    def paint(slot: dict[str, Any]) -> list[dict[str, Any]]:
        slots = {"type": "object", "properties": {"c": {"type": "string", **slot}}}
        return [{"name": "paint", "description": "Paint the wall.", "parameters": slots}]

    edit(page, "exemplars", [])
    expect(page.locator("#compiled")).to_contain_text("10 functions")
    edit(page, "specs", paint({"enum": ["red", "blue"]}))
    expect(page.locator("#compiled")).to_contain_text("1 functions")
    expect(said(page, "paint the wall blue")).to_have_text('paint(c="blue")')
    edit(page, "specs", paint({"if": {}}))
    expect(page.locator("#problem")).to_contain_text("specs[0].parameters.properties.c.if")
    page.locator("#specs").fill("[{")
    page.locator("#editors button").click()
    expect(page.locator("#problem")).to_contain_text("no JSON")
    expect(said(page, "paint the wall red")).to_have_text('paint(c="red")')


def test_a_spec_named_script_is_only_text(page: Page) -> None:
    slot = {"type": "string", "enum": [EVIL], "description": EVIL}
    evil = {"type": "object", "properties": {EVIL_IMAGE: slot}, "required": [EVIL_IMAGE]}
    specs = [{"label": EVIL, "name": [EVIL_IMAGE], "description": EVIL_IMAGE, "parameters": evil}]
    edit(page, "exemplars", [])
    expect(page.locator("#compiled")).to_contain_text("10 functions")
    edit(page, "specs", specs)
    expect(page.locator("#compiled")).to_contain_text("1 functions")
    page.click("#context summary")
    page.select_option("#choice", EVIL)
    expect(said(page, f"{EVIL} and {EVIL_IMAGE}")).to_contain_text(EVIL)
    page.click("#expect")
    expect(page.locator("#functions")).to_contain_text(EVIL)
    expect(page.locator("#highlighted")).to_contain_text(EVIL_IMAGE)
    assert page.title() == "constrained_du playground"
    assert page.locator("script").count() == 1 and page.locator("img").count() == 0


def test_another_domain_is_chosen(page: Page) -> None:
    page.select_option("#domain", "home_en")
    expect(page.locator("#functions")).not_to_contain_text("book_table")
    expect(said(page, "turn on the lights in the kitchen")).to_contain_text("kitchen")


def test_the_keyboard_alone_reaches_everything(page: Page) -> None:
    page.locator("body").press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.wait_for_function("location.hash === '#utterance'")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
    assert {"mark-key", "mark-value", "go", "specs", "domain", "theme"} <= reached


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_schemes(browser: Browser, server: Served, scheme: str) -> None:
    for page in opened(browser, server, color_scheme=scheme):
        said(page, "book me a table for four at 7pm")
        for selector in ("#highlighted mark", "pre.call", "button.main", ".faint", "#evidence td"):
            assert contrast(page, selector) >= 4.5, selector
        before = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.click("#theme")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def contrast(page: Page, selector: str) -> float:
    """WCAG's contrast of an element's text with the nearest ground that is painted."""
    colours = page.locator(selector).first.evaluate(
        """element => { let ground = element;
          while (getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") ground = ground.parentElement;
          return [getComputedStyle(element).color, getComputedStyle(ground).backgroundColor]
            .map(text => text.match(/[0-9.]+/g).slice(0, 3).map(Number)); }"""
    )

    def light(colour: list[float]) -> float:
        r, g, b = ((c / 255 + 0.055) / 1.055 for c in colour)
        return sum(w * max(c, 0.0) ** 2.4 for w, c in zip((0.2126, 0.7152, 0.0722), (r, g, b), strict=True))

    high, low = sorted(map(light, colours), reverse=True)
    return float((high + 0.05) / (low + 0.05))


def test_it_fits_a_phone(browser: Browser, server: Served) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    for page in opened(browser, server, **phone):
        said(page, "a table for 3 at Pier 9 on Friday, 8:30 pm please")
        page.tap("#context summary")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        small = page.evaluate(
            """[...document.querySelectorAll("button, select")].filter(e => e.offsetParent && e.offsetHeight < 32)
               .map(e => e.id)"""
        )
        assert small == []
        wide = page.evaluate(
            """[...document.querySelectorAll("main section *")].filter(e => e.offsetParent && !e.closest(".scroll") &&
               e.getBoundingClientRect().right > 361).map(e => e.id || e.tagName)"""
        )
        assert wide == []


def test_nothing_is_fetched_from_elsewhere(browser: Browser, server: Served) -> None:
    own = browser.new_context()
    page = own.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.url)
    expect(page.locator("#functions li")).not_to_have_count(0)
    own.close()
    assert asked and all(url.startswith(server.url) for url in asked)


def test_a_key_is_asked_for_and_kept_for_the_session(browser: Browser, artifact_of: Callable[[str], Path]) -> None:
    with served(artifact_of("restaurant_en"), "--api-key", "s3cret") as guarded:
        own = browser.new_context()
        page = own.new_page()
        page.goto(guarded.url)
        page.fill("#key", "s3cret")
        page.click("#key-dialog button")
        expect(page.locator("#functions li")).not_to_have_count(0)
        page.reload()
        expect(page.locator("#functions li")).not_to_have_count(0)
        own.close()


def test_a_server_that_is_gone_is_said_so(browser: Browser, artifact_of: Callable[[str], Path]) -> None:
    with served(artifact_of("restaurant_en")) as short_lived:
        own = browser.new_context()
        page = own.new_page()
        page.goto(short_lived.url)
        expect(page.locator("#functions li")).not_to_have_count(0)
        short_lived.process.terminate()
        assert short_lived.process.wait(PATIENCE) == 0
        page.fill("#utterance", "hello")
        page.press("#utterance", "Enter")
        expect(page.locator("#problem")).to_contain_text("cannot be reached")
        own.close()
