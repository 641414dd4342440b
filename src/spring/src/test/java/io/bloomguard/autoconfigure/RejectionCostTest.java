package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.OnAbsent;
import io.bloomguard.generation.KeySource;
import jakarta.servlet.Filter;
import jakarta.servlet.http.MappingMatch;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.math.BigDecimal;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletMapping;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockServletConfig;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Each way of a rejection costs less than a hit in the value cache: it allocates less, and passes
 * fewer parts of Spring MVC. Times are left to the benchmark {@code RejectedRequestTable}.
 */
class RejectionCostTest {

  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final Logger ROOT =
      (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private static final Level LEVEL = ROOT.getLevel();

  /**
   * The exception in which reflection wraps that of a handler, with a stack trace of its own, and
   * the bytes of it: a throw below a handler always costs them.
   */
  private static final AtomicReference<@Nullable Exception> THROWN = new AtomicReference<>();

  private static final AtomicLong TRACE = new AtomicLong();

  private static final AtomicInteger HANDLED = new AtomicInteger();
  private static final AtomicInteger CONVERTED = new AtomicInteger();

  record Product(long id, String name, BigDecimal price) {}

  static class Products {
    @BloomGuarded(filter = "products", key = "#id", onAbsent = OnAbsent.THROW)
    public Product find(long id) {
      return new Product(id, "Classic brass clock No. " + id, new BigDecimal("354.97"));
    }
  }

  @RestController
  static class Handlers {
    private final Products products;

    Handlers(Products products) {
      this.products = products;
    }

    @GetMapping("/products/{id}")
    public Product product(@PathVariable long id) {
      HANDLED.incrementAndGet();
      return products.find(id);
    }

    @GetMapping("/ruled/{id}")
    public Product ruled(@PathVariable long id) {
      HANDLED.incrementAndGet();
      return products.find(id);
    }

    /** As long a stack as that of the first handler. */
    @GetMapping("/traced/{id}")
    public Product traced(@PathVariable long id) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      THROWN.set(new InvocationTargetException(null));
      TRACE.set(THREADS.getCurrentThreadAllocatedBytes() - before);
      return new Product(id, "", BigDecimal.ONE);
    }
  }

  /** Spring's converter, counted. */
  static class Converted implements WebMvcConfigurer {

    @Override
    public void configureMessageConverters(HttpMessageConverters.ServerBuilder builder) {
      builder.withJsonConverter(
          new JacksonJsonHttpMessageConverter() {
            @Override
            protected void writeInternal(
                Object object,
                ResolvableType type,
                HttpOutputMessage message,
                @Nullable Map<String, Object> hints)
                throws IOException {
              CONVERTED.incrementAndGet();
              super.writeInternal(object, type, message, hints);
            }
          });
    }
  }

  /** The servlet filters and the dispatcher servlet, called without a container. */
  private static final class Server {

    private final DispatcherServlet servlet;
    private final Filter rule;

    Server(WebApplicationContext context) throws Exception {
      servlet = context.getBean(DispatcherServlet.class);
      servlet.init(new MockServletConfig(context.getServletContext(), "dispatcherServlet"));
      rule = context.getBean(FilterRegistrationBean.class).getFilter();
    }

    int get(String path) throws Exception {
      MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
      request.setHttpServletMapping(
          new MockHttpServletMapping("", "/", "dispatcherServlet", MappingMatch.DEFAULT));
      MockHttpServletResponse response = new MockHttpServletResponse();
      new MockFilterChain(servlet, rule).doFilter(request, response);
      return response.getStatus();
    }

    /**
     * The bytes that one request allocates, once its classes are initialised: the least of many, on
     * a thread whose stack is as short as a server's.
     */
    long allocated(String path, int status) throws Exception {
      ExecutorService thread = Executors.newSingleThreadExecutor();
      try {
        return thread.submit(() -> leastAllocated(path, status)).get();
      } finally {
        thread.shutdown();
      }
    }

    private long leastAllocated(String path, int status) throws Exception {
      long least = Long.MAX_VALUE;
      for (int i = 0; i < 100; i++) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        int got = get(path);
        least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        assertThat(got).isEqualTo(status);
      }
      return least;
    }
  }

  /** Lines for DEBUG would be made for each request, and counted. */
  @BeforeAll
  static void logNothing() {
    ROOT.setLevel(Level.WARN);
  }

  @AfterAll
  static void logAgain() {
    ROOT.setLevel(LEVEL);
  }

  @Test
  void rejectionAllocatesLessThanAHitAndPassesFewerParts() {
    Wiring.webApplication()
        .withConfiguration(
            AutoConfigurations.of(
                HttpMessageConvertersAutoConfiguration.class, JacksonAutoConfiguration.class))
        .withBean("keys", KeySource.class, () -> sink -> sink.accept("42"))
        .withBean(Products.class)
        .withBean(Handlers.class)
        .withBean(Converted.class)
        .withPropertyValues(
            "bloomguard.filters.products.expected-insertions=1000",
            "bloomguard.filters.products.false-positive-probability=0.000001",
            "bloomguard.filters.products.source.bean=keys",
            "bloomguard.filters.products.warm-up.mode=blocking",
            "bloomguard.filters.products.verify.first=0",
            "bloomguard.filters.products.verify.sample=0",
            "bloomguard.web.rules[0].pattern=/ruled/{id}",
            "bloomguard.web.rules[0].filter=products",
            "bloomguard.web.rules[0].key=id",
            "bloomguard.web.rules[0].type=long")
        .run(
            context -> {
              Server server = new Server(context);
              requireParts(server, "/products/42", 200, 1, 1);
              requireParts(server, "/products/7", 404, 1, 0);
              requireParts(server, "/ruled/7", 404, 0, 0);
              long unused = server.allocated("/traced/42", 200);
              long trace = TRACE.get();
              long hit = server.allocated("/products/42", 200);
              long method = server.allocated("/products/7", 404);
              long rule = server.allocated("/ruled/7", 404);
              assertThat(method - trace).isLessThan(hit);
              assertThat(rule).isLessThan(method);
            });
  }

  private static void requireParts(
      Server server, String path, int status, int handlers, int converters) throws Exception {
    HANDLED.set(0);
    CONVERTED.set(0);
    assertThat(server.get(path)).isEqualTo(status);
    assertThat(HANDLED).as("calls of the handler of " + path).hasValue(handlers);
    assertThat(CONVERTED).as("conversions for " + path).hasValue(converters);
  }
}
