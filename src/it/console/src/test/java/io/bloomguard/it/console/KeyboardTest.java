package io.bloomguard.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The console without a mouse. */
@ExtendWith({Chromium.class, Parts.Provider.class})
class KeyboardTest {

  private static final int MOST_STOPS = 80;

  /** What has the focus, by its name; whether an outline shows it. */
  private static final String FOCUSED =
      """
      () => {
        const at = document.activeElement;
        if (at === document.body) {
          return '';
        }
        const style = getComputedStyle(at);
        const shown = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
        const label = at.labels?.[0]?.firstChild.textContent.trim();
        const name = at.getAttribute('aria-label') || label || at.textContent.trim();
        return (shown ? '' : 'no outline: ') + name;
      }
      """;

  @Test
  void everythingIsReachedInOrderAndSeen(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.demo)) {
      assertThat(window.button("Attack")).isVisible();
      List<String> stops = new ArrayList<>();
      for (int i = 0; i < MOST_STOPS; i++) {
        window.page().keyboard().press("Tab");
        String stop = (String) window.page().evaluate(FOCUSED);
        if (stop.isEmpty() || stop.equals(stops.isEmpty() ? null : stops.get(0))) {
          break;
        }
        stops.add(stop);
      }
      assertThat(stops)
          .noneMatch(stop -> stop.startsWith("no outline"))
          .containsSubsequence(
              "Skip to the filters",
              "Rebuild products",
              "Roll back products",
              "Observe products",
              "Filter shown below",
              "rejected",
              "error",
              "The same as a table",
              "Key",
              "Explain",
              "Distinct keys",
              "False-positive probability",
              "Calculate",
              "The filter's curve as a table",
              "Requests of each side",
              "Attack",
              "Pico.css 2.1.1")
          .hasSizeLessThan(MOST_STOPS);
    }
  }

  @Test
  void theFirstStopLeadsToTheFilters(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.demo)) {
      press(window, "Tab", "Enter", "Tab");
      assertThat(window.page().evaluate(FOCUSED)).isEqualTo("Rebuild products");
    }
  }

  @Test
  void rebuildsRollsBackAndExplains(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.apart)) {
      Page page = window.page();
      Locator card = window.card("quick");
      assertThat(card.locator(".state")).hasText("READY");
      int generation = Integer.parseInt(card.locator(".generation").textContent());

      tabTo(window, "Rebuild quick");
      press(window, "Enter");
      assertThat(card.locator(".done")).containsText("succeeded, 1,000 keys");
      assertThat(card.locator(".generation")).hasText(String.valueOf(generation + 1));

      tabTo(window, "Roll back quick");
      press(window, "Enter");
      assertThat(page.locator("dialog")).isVisible();
      assertThat(window.button("Leave it")).isFocused();
      press(window, "Escape");
      assertThat(page.locator("dialog")).isHidden();
      assertThat(window.button("Roll back quick")).isFocused();
      assertThat(window.button("Roll back quick")).hasAttribute("aria-busy", "false");

      press(window, "Enter");
      assertThat(window.button("Leave it")).isFocused();
      press(window, "Tab", "Enter");
      assertThat(card.locator(".done")).hasText("quick serves generation " + generation);

      tabTo(window, "Filter shown below");
      page.keyboard().type("quick");
      assertThat(page.locator("#curve-note")).containsText("quick holds");
      tabTo(window, "Key");
      page.keyboard().type("1000");
      press(window, "Enter");
      assertThat(page.locator(".verdict")).containsText("Possibly present");
    }
  }

  @Test
  void whatChangesIsSaid(Parts parts) {
    try (ConsoleWindow window = parts.open(parts.apart)) {
      Locator card = window.card("slow");
      assertThat(card.locator(".done")).hasAttribute("role", "status");
      assertThat(window.page().locator("#news")).hasAttribute("role", "status");
      assertThat(card.locator("p.error")).hasAttribute("role", "alert");

      tabTo(window, "Rebuild slow");
      press(window, "Enter");
      assertThat(card.locator(".done")).hasText("Rebuild of slow has begun");
      tabTo(window, "Cancel the rebuild of slow");
      press(window, "Enter");
      assertThat(card.locator(".done")).hasText(Pattern.compile("Rebuild of slow: cancelled, .*"));
      assertThat(window.button("Rebuild slow")).isFocused();
    }
  }

  private static void press(ConsoleWindow window, String... keys) {
    for (String key : keys) {
      window.page().keyboard().press(key);
    }
  }

  private static void tabTo(ConsoleWindow window, String name) {
    for (int i = 0; i < MOST_STOPS; i++) {
      if (name.equals(window.page().evaluate(FOCUSED))) {
        return;
      }
      window.page().keyboard().press("Tab");
    }
    throw new AssertionError("Nothing named '" + name + "' gets the focus");
  }
}
