package io.bloomguard.it.realinput;

import static org.awaitility.Awaitility.await;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.Filter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.util.UriComponentsBuilder;

/** A running {@link PackagesApplication} with its own port, pool and guards. */
final class Application implements AutoCloseable {

  private final ConfigurableApplicationContext context;
  private volatile CountDownLatch arrivals = new CountDownLatch(0);

  Application(QueryMonitor queries, List<String> arguments) {
    List<String> all = new ArrayList<>(List.of("--server.address=127.0.0.1", "--server.port=0"));
    all.addAll(arguments);
    Filter arrival =
        (request, response, chain) -> {
          arrivals.countDown();
          chain.doFilter(request, response);
        };
    context =
        new SpringApplicationBuilder(PackagesApplication.class)
            .initializers(
                starting -> {
                  starting.getBeanFactory().addBeanPostProcessor(queries);
                  starting.getBeanFactory().registerSingleton("arrival", arrival);
                })
            .run(all.toArray(String[]::new));
  }

  /** Waits until the filter knows {@code name}, which is in the table. */
  Application awaitReady(String name) {
    BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("packages");
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> guard.check(name) == Membership.POSSIBLY_PRESENT);
    return this;
  }

  /** From now on {@code arrivals} counts HTTP requests down before they reach their handler. */
  void countArrivals(CountDownLatch arrivals) {
    this.arrivals = arrivals;
  }

  Packages packages() {
    return context.getBean(Packages.class);
  }

  /** How many keys ended so on their way through annotated methods. */
  long outcomes(String outcome) {
    FunctionCounter counter =
        context
            .getBean(MeterRegistry.class)
            .get("bloomguard.requests")
            .tag("filter", "packages")
            .tag("entry", "method")
            .tag("outcome", outcome)
            .functionCounter();
    return (long) counter.count();
  }

  URI uri(String name) {
    return UriComponentsBuilder.fromUriString("http://127.0.0.1")
        .port(context.getEnvironment().getRequiredProperty("local.server.port"))
        .pathSegment("packages", name)
        .encode()
        .build()
        .toUri();
  }

  @Override
  public void close() {
    context.close();
  }
}
