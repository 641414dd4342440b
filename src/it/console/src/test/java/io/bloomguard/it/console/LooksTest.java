package io.bloomguard.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.ScreenshotOptions;
import com.microsoft.playwright.options.BoundingBox;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The console in both schemes, from a phone to a desk: readable for all, nothing beyond the edge.
 */
@ExtendWith({Chromium.class, Parts.Provider.class})
class LooksTest {

  private static final int HEIGHT = 900;

  private static final String BEYOND_THE_EDGE =
      """
      () => [...document.querySelectorAll('body *')]
        .filter(e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 0.5)
        .map(e => e.outerHTML.slice(0, 80))
        .concat(document.documentElement.scrollWidth > innerWidth ? ['the page scrolls'] : [])
      """;

  private static final String VIOLATIONS =
      """
      async () => {
        const {violations, passes} = await axe.run();
        if (passes.length < 20) {
          throw new Error('axe found too little to judge: ' + passes.length);
        }
        return violations
          .filter(v => v.impact !== 'minor')
          .map(v => `${v.impact} ${v.id}: ${v.nodes.map(n => n.target + ' ' + n.failureSummary).join('; ')}`);
      }
      """;

  static Stream<Arguments> windows() {
    return Stream.of(ColorScheme.LIGHT, ColorScheme.DARK)
        .flatMap(scheme -> Stream.of(360, 768, 1440).map(width -> Arguments.of(scheme, width)));
  }

  @ParameterizedTest
  @MethodSource("windows")
  void isReadableForAllAndFits(ColorScheme scheme, int width, Parts parts) throws Exception {
    NewContextOptions options =
        new NewContextOptions()
            .setViewportSize(width, HEIGHT)
            .setColorScheme(scheme)
            .setReducedMotion(ReducedMotion.REDUCE);
    try (ConsoleWindow window = parts.open(parts.demo, options)) {
      Page page = window.page();
      Parts.post(parts.demo, "/v1/filters/products/check", ConsoleTest.keys("crawler-", 2_000));
      Parts.post(parts.demo, "/v1/filters/products/check", ConsoleTest.keys("beta-", 1_000));
      useEverything(window);

      String background =
          (String)
              page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor");
      assertThat(background)
          .isEqualTo(scheme == ColorScheme.LIGHT ? "rgb(255, 255, 255)" : "rgb(19, 23, 31)");
      assertThat((List<?>) page.evaluate(BEYOND_THE_EDGE)).isEmpty();
      page.evaluate(axe());
      assertThat((List<?>) page.evaluate(VIOLATIONS)).isEmpty();
      keep(page, scheme, width);
    }
  }

  /** Everything that appears only on demand. */
  private static void useEverything(ConsoleWindow window) {
    Page page = window.page();
    page.getByLabel("Key", new Page.GetByLabelOptions().setExact(true)).fill("424242");
    window.button("Explain").click();
    page.getByLabel("Distinct keys").fill("300000");
    window.button("Calculate").click();
    window.button("Attack").click();
    page.getByText("The same as a table").click();
    page.getByText("The filter's curve as a table").click();
    assertThat(page.locator(".verdict")).isVisible();
    assertThat(page.locator("#sizes-table tr")).hasCount(8);
    assertThat(page.locator("#attacked table")).isVisible();
    assertThat(page.locator("#prefixes tr")).not().hasCount(0);
  }

  private static String axe() throws IOException {
    try (InputStream in = LooksTest.class.getResourceAsStream("/axe.min.js")) {
      return new String(in.readAllBytes(), UTF_8) + ";0";
    }
  }

  /** Keeps pictures of a desk in both schemes where they are asked for. */
  private static void keep(Page page, ColorScheme scheme, int width) throws IOException {
    String folder = System.getProperty("console.images", "");
    if (folder.isEmpty() || width != 1440) {
      return;
    }
    page.getByText("The same as a table").click();
    page.getByText("The filter's curve as a table").click();
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }");
    Path images = Files.createDirectories(Path.of(folder));
    BoundingBox last = page.locator("#attack-title").locator("..").boundingBox();
    byte[] top =
        page.screenshot(
            new ScreenshotOptions().setFullPage(true).setClip(0, 0, width, last.y + last.height));
    String name = "console-" + scheme.name().toLowerCase(Locale.ROOT) + ".png";
    Picture.write(top, images.resolve(name));
    if (scheme == ColorScheme.LIGHT) {
      Picture.write(
          page.locator("#panel-attack").screenshot(), images.resolve("console-attack.png"));
    }
  }
}
