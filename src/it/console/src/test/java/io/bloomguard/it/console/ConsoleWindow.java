package io.bloomguard.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * The console in a browser window, which remembers everything that should not have happened: errors
 * in the browser's console, what the content security policy kept from happening, and requests to
 * anywhere else.
 */
final class ConsoleWindow implements AutoCloseable {

  private static final double ANSWER_MILLIS = 30_000;

  private final BrowserContext context;
  private final Page page;
  private final List<String> wrong = new ArrayList<>();
  private final List<Request> writes = new ArrayList<>();
  private String provoked = "nothing";

  ConsoleWindow(BrowserContext context, URI address) {
    this.context = context;
    context.setDefaultTimeout(ANSWER_MILLIS);
    PlaywrightAssertions.setDefaultAssertionTimeout(ANSWER_MILLIS);
    page = context.newPage();
    page.onConsoleMessage(
        message -> {
          if (!message.text().contains(provoked)) {
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

  /** The browser notes what a server refuses: that is right where a test has provoked it. */
  void provokes(String note) {
    provoked = note;
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
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  @Override
  public void close() {
    context.close();
    assertThat(wrong).isEmpty();
  }
}
