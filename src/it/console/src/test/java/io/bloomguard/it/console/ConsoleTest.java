package io.bloomguard.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.Cookie;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every function of the console, clicked in a real browser on the real server. */
@ExtendWith({Chromium.class, Parts.Provider.class})
class ConsoleTest {

  /** How many pixels of a canvas have the colour of rejections, in the light scheme. */
  private static final String RED_PIXELS =
      """
      () => {
        const drawn = document.querySelector('#traffic-chart canvas');
        const copy = new OffscreenCanvas(drawn.width, drawn.height);
        const canvas = copy.getContext('2d', {willReadFrequently: true});
        canvas.drawImage(drawn, 0, 0);
        const {data} = canvas.getImageData(0, 0, drawn.width, drawn.height);
        let red = 0;
        for (let i = 0; i < data.length; i += 4) {
          red += data[i + 3] > 200 && data[i] > 150 && data[i + 1] < 60 && data[i + 2] < 60 ? 1 : 0;
        }
        return red;
      }
      """;

  @Test
  void showsHowFullEachFilterIsAndWhatItWillPass(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.demo)) {
      Locator card = window.card("products");
      assertThat(card.locator(".state")).hasText("READY");
      assertThat(card.getByRole(AriaRole.METER))
          .hasAttribute("aria-valuenow", Pattern.compile("2[45]\\.\\d"));
      assertThat(card.locator(".fill-text"))
          .hasText(Pattern.compile("2[45].* % \\(43.7 % when full\\)"));
      assertThat(card.locator(".expected"))
          .hasText(Pattern.compile("0\\.001.* % \\(configured 0.1 %\\)"));
      assertThat(card.locator(".elements")).hasText(Pattern.compile("(99|100),\\d{3} of 200,000"));
      double share =
          ((Number)
                  card.locator(".gauge")
                      .evaluate("gauge => gauge.firstElementChild.offsetWidth / gauge.offsetWidth"))
              .doubleValue();
      assertThat(share).isBetween(0.23, 0.27);
    }
  }

  @Test
  void rebuildsOnceAndRollsBack(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.demo)) {
      Locator card = window.card("products");
      int generation = Integer.parseInt(card.locator(".generation").textContent());

      window.button("Rebuild products").click();
      assertThat(card.locator(".done")).containsText("succeeded, 100,000 keys");
      assertThat(card.locator(".generation")).hasText(String.valueOf(generation + 1));

      window.provokes("status of 429");
      window.button("Rebuild products").click();
      assertThat(card.locator(".error"))
          .hasText(Pattern.compile("It is too soon for this \\(429\\): .* Try again in \\d+ s\\."));

      window.button("Roll back products").click();
      window.button("Leave it").click();
      assertThat(window.page().locator("dialog")).isHidden();
      assertThat(card.locator(".generation")).hasText(String.valueOf(generation + 1));

      window.button("Roll back products").click();
      window.button("Roll back").click();
      assertThat(card.locator(".done")).hasText("products serves generation " + generation);
      assertThat(card.locator(".error")).isHidden();
      assertThat(card.locator(".generation")).hasText(String.valueOf(generation));
    }
  }

  @Test
  void showsThatAFilterIsDisarmedAndArmsIt(Parts parts) throws Exception {
    try (ConsoleWindow window = parts.open(parts.apart)) {
      // It has no source that would deny the report.
      Locator card = window.card("added");
      assertThat(card.locator(".mode")).hasText("enforce");
      assertThat(window.button("Arm added")).isHidden();

      Parts.post(parts.apart, "/v1/filters/added/found", "{\"keys\":[\"no-such-key\"]}");
      assertThat(card.locator(".state")).hasText("DISARMED");
      assertThat(card.locator(".mode")).hasText("enforce, disarmed: rejects nothing");
      assertThat(card.locator(".verified")).hasText("0 right, 0 late, 1 wrong");
      assertThat(card.locator(".warnings")).containsText("It is disarmed");

      window.provokes("status of 409");
      window.button("Arm added").click();
      window.button("Arm it").click();
      window.button("Arm it all the same").click();
      assertThat(card.locator(".done")).hasText("added is armed again, not rebuilt");
      assertThat(card.locator(".state")).hasText("READY");
      assertThat(card.locator(".warnings")).containsText("armed again, not rebuilt");
      assertThat(window.button("Arm added")).isHidden();

      Parts.post(parts.apart, "/v1/filters/added/found", "{\"keys\":[\"no-such-key\"]}");
      assertThat(card.locator(".state")).hasText("DISARMED");
      Parts.post(parts.apart, "/v1/filters/added/keys", "{\"keys\":[\"no-such-key\"]}");
      window.button("Arm added").click();
      window.button("Arm it").click();
      assertThat(card.locator(".done")).hasText("added is armed");
      assertThat(card.locator(".warnings")).isHidden();
      assertThat(window.button("Arm added")).isHidden();
    }
  }

  @Test
  void switchesBetweenObservingAndEnforcing(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.apart)) {
      Locator card = window.card("quick");
      window.button("Observe quick").click();
      assertThat(card.locator(".mode")).hasText("observe: rejects nothing");
      window.button("Enforce quick").click();
      assertThat(card.locator(".mode")).hasText("enforce");
    }
  }

  @Test
  void showsARebuildAsItRunsAndCancelsIt(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.apart)) {
      Locator card = window.card("slow");
      assertThat(card.locator(".running")).isHidden();

      window.button("Rebuild slow").click();
      Locator progress = card.locator(".progress-text");
      assertThat(progress).hasText(Pattern.compile("[1-9][\\d,]* keys read, \\d+ a second.*"));
      String before = progress.textContent();
      assertThat(progress).not().hasText(before);
      window.provokes("status of 409");
      window.button("Rebuild slow").click();
      assertThat(card.locator(".error")).hasText(Pattern.compile("This cannot .* \\(409\\): .+"));

      window.button("Cancel the rebuild of slow").click();
      assertThat(card.locator(".last")).hasText(Pattern.compile("cancelled, .*"));
      assertThat(card.locator(".running")).isHidden();
      assertThat(window.button("Cancel the rebuild of slow")).isHidden();
    }
  }

  @Test
  void saysWhyAFilterWithoutASourceIsNotRebuilt(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.apart)) {
      window.provokes("status of 409");
      window.button("Rebuild added").click();
      assertThat(window.card("added").locator(".error"))
          .hasText(Pattern.compile("This cannot be done now \\(409\\): .*source.*"));
      window.button("Roll back added").click();
      window.button("Roll back").click();
      assertThat(window.card("added").locator(".error"))
          .hasText(Pattern.compile("This cannot be done now \\(409\\): .*older generation.*"));
    }
  }

  @Test
  void drawsOutcomesAndTellsHowRejectedKeysBegin(Parts parts) throws Exception {
    try (ConsoleWindow window = parts.open(parts.demo)) {
      Page page = window.page();
      Parts.post(parts.demo, "/v1/filters/products/check", keys("botnet-", 5_000));
      assertThat(page.locator("#traffic-chart"))
          .hasAttribute("aria-label", Pattern.compile(".*rejected [\\d.,]+ a second.*"));
      assertThat(page.locator("#reject-now")).hasText(Pattern.compile("[\\d.]+ %"));
      assertThat(page.locator("#reject-rate")).not().hasText("0");

      page.getByLabel("Key", new Page.GetByLabelOptions().setExact(true)).fill("botnet-suspect");
      window.button("Explain").click();
      String name = page.locator("#explained dd.mono").textContent();
      assertThat(page.locator("#prefixes th").getByText(name)).isVisible();
      assertThat(page.locator("#attack-title + dl + h3 ~ table")).not().containsText("botn");

      page.waitForCondition(() -> redPixels(page) > 20);
      Locator toggle = window.button("rejected");
      toggle.click();
      assertThat(toggle).hasAttribute("aria-pressed", "false");
      page.waitForCondition(() -> redPixels(page) == 0);

      page.getByText("The same as a table").click();
      assertThat(page.locator("#traffic-table tr")).hasCount(9);
    }
  }

  @Test
  void explainsKeysThatAreThereAndThatAreNot(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.demo)) {
      Page page = window.page();
      Locator key = page.getByLabel("Key", new Page.GetByLabelOptions().setExact(true));

      key.fill("42");
      window.button("Explain").click();
      assertThat(page.locator(".verdict")).containsText("Possibly present");
      assertThat(page.locator(".bits li")).hasCount(9);
      assertThat(page.locator(".bits li.clear")).hasCount(0);

      key.fill("nobody");
      window.button("Explain").click();
      assertThat(page.locator(".verdict")).containsText("Absent");
      assertThat(page.locator(".bits li.clear")).not().hasCount(0);
      assertThat(window.writes()).extracting(Request::url).noneMatch(url -> url.contains("nobody"));

      window.provokes("net::ERR_INTERNET_DISCONNECTED");
      window.context().setOffline(true);
      window.button("Explain").click();
      assertThat(page.locator("#explain-error")).containsText("The server cannot be reached");
      window.context().setOffline(false);
      window.button("Explain").click();
      assertThat(page.locator("#explain-error")).isHidden();
    }
  }

  @Test
  void calculatesFromTheFilterAsItIs(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.demo)) {
      Page page = window.page();
      Locator insertions = page.getByLabel("Distinct keys");
      assertThat(insertions).hasValue("200000");
      assertThat(page.getByLabel("False-positive probability")).hasValue("0.001");
      assertThat(page.locator("#curve-note")).containsText("0.1 % of absent ones beyond 200,0");
      assertThat(page.locator("#curve-chart"))
          .hasAttribute("aria-label", Pattern.compile(".*with 800,000 keys"));

      insertions.fill("10000000");
      window.button("Calculate").click();
      assertThat(page.locator("#sizes-table tr")).hasCount(8);
      assertThat(page.locator("#sizes-table tr").first())
          .hasText(Pattern.compile("blocked, 512 bits\\s*18\\.5 MiB.*"));

      window.provokes("status of 400");
      page.getByLabel("False-positive probability").fill("0");
      window.button("Calculate").click();
      assertThat(page.locator("#sizing-error")).containsText("(400): ");
    }
  }

  @Test
  void showsWhatAnAttackCostsWithAndWithoutTheGuard(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.demo)) {
      Page page = window.page();
      assertThat(page.locator("main > section")).hasCount(6);
      page.getByLabel("Requests of each side").fill("2000");
      window.button("Attack").click();
      Locator cells = page.locator("#attacked tr", new Page.LocatorOptions().setHasText("queries"));
      assertThat(cells.locator("td")).hasCount(2);
      int guarded = number(cells.locator("td").first());
      int unguarded = number(cells.locator("td").last());
      System.out.printf(
          "RESULT console, an attack of 2,000 ids: %d queries with the guard, %d without%n",
          guarded, unguarded);
      assertThat(guarded).isLessThan(20);
      assertThat(unguarded).isEqualTo(2_000);
    }
  }

  @Test
  void showsNoDemoWhereThereIsNone(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.apart)) {
      assertThat(window.page().locator("main > section")).hasCount(5);
      window.page().getByLabel("Filter shown below").selectOption("quick");
      assertThat(window.page().locator("#curve-note")).containsText("quick holds about");
    }
  }

  @Test
  void sendsTheTokenOfItsCookieWithEveryWrite(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.demo)) {
      window
          .context()
          .addCookies(List.of(new Cookie("XSRF-TOKEN", "a%2Bb").setUrl(window.page().url())));
      window.page().getByLabel("Key", new Page.GetByLabelOptions().setExact(true)).fill("42");
      window.button("Explain").click();
      assertThat(window.page().locator(".verdict")).isVisible();
      assertThat(window.writes())
          .hasSize(2)
          .extracting(Request::headers)
          .extracting(headers -> Map.copyOf(headers).get("x-xsrf-token"))
          .containsOnly("a+b");
    }
  }

  @Test
  void anOperatorWhoLoggedInChangesTheSecuredServer(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.secured, Parts.operator())) {
      window.button("Rebuild products").click();
      assertThat(window.card("products").locator(".done")).containsText("succeeded");
      window.button("Roll back products").click();
      window.button("Roll back").click();
      assertThat(window.card("products").locator(".done")).containsText("serves generation 1");

      assertThat(window.writes())
          .hasSizeGreaterThanOrEqualTo(2)
          .allSatisfy(write -> assertThat(write.headers()).containsKey("x-xsrf-token"));
    }
  }

  private static int redPixels(Page page) {
    return ((Number) page.evaluate(RED_PIXELS)).intValue();
  }

  private static int number(Locator cell) {
    return Integer.parseInt(cell.textContent().replace(",", ""));
  }

  /** The body of a call about that many keys. */
  static String keys(String beginning, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> '"' + beginning + i + '"')
        .collect(Collectors.joining(",", "{\"keys\":[", "]}"));
  }
}
