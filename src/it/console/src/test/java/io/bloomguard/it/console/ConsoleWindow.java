package io.bloomguard.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The console in a browser window, which remembers everything that should not have happened: errors
 * in the browser's console, what the content security policy kept from happening, and requests to
 * anywhere else.
 */
final class ConsoleWindow implements AutoCloseable {

  /** The browser's own note of an answer that the page shows in words. */
  private static final Pattern REFUSED =
      Pattern.compile("Failed to load resource: the server responded with a status of 4(09|29).*");

  private final BrowserContext context;
  private final Page page;
  private final List<String> wrong = new ArrayList<>();
  private final List<Request> writes = new ArrayList<>();

  ConsoleWindow(BrowserContext context, URI address, double patience) {
    this.context = context;
    context.setDefaultTimeout(patience);
    context.setDefaultNavigationTimeout(patience);
    page = context.newPage();
    page.onConsoleMessage(
        message -> {
          if (!message.type().equals("log") && !REFUSED.matcher(message.text()).matches()) {
            wrong.add(message.type() + ": " + message.text());
          }
        });
    page.onPageError(error -> wrong.add("uncaught: " + error));
    page.onRequest(
        request -> {
          URI target = URI.create(request.url());
          if (!address.getAuthority().equals(target.getAuthority())) {
            wrong.add("request to elsewhere: " + target);
          }
          if (!request.method().equals("GET")) {
            writes.add(request);
          }
        });
    page.addInitScript(
        "document.addEventListener('securitypolicyviolation',"
            + " event => console.error('policy: ' + event.violatedDirective))");
    page.navigate(address.toString());
    assertThat(page.locator(".card").first()).isVisible();
    assertThat(page.locator("#traffic-legend li")).hasCount(9);
    assertThat(page.locator("#curve-table tr")).hasCount(5);
  }

  Page page() {
    return page;
  }

  BrowserContext context() {
    return context;
  }

  /** What was sent to change something, or with a key in it. */
  List<Request> writes() {
    return writes;
  }

  /** The card of a filter. */
  Locator card(String filter) {
    return page.locator(".card[data-filter=" + filter + "]");
  }

  Locator button(String name) {
    return page.getByRole(
        com.microsoft.playwright.options.AriaRole.BUTTON,
        new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  @Override
  public void close() {
    context.close();
    assertThat(wrong).isEmpty();
  }
}
