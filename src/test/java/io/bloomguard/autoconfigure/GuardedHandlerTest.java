package io.bloomguard.autoconfigure;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.bloomguard.actuate.OperatedFilters;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.annotation.OnAbsent;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.EntryPoint;
import io.bloomguard.guard.Outcome;
import io.bloomguard.guard.OutcomeCounters;
import jakarta.persistence.EntityManagerFactory;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpStatus;
import org.springframework.orm.jpa.support.OpenEntityManagerInViewInterceptor;
import org.springframework.ui.ModelMap;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.context.request.WebRequestInterceptor;
import org.springframework.web.context.support.RequestHandledEvent;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Guarded handler methods in a real Tomcat: the servlet filter answers for them, and answers
 * nothing else than they would. The same requests go to an application without that filter.
 */
@TestInstance(Lifecycle.PER_CLASS)
class GuardedHandlerTest {

  private static final String PRESENT = "123e4567-e89b-12d3-a456-426614174000";

  App filtered;
  private App plain;

  /** Handlers of products with the keys 42, a and {@link #PRESENT}. */
  @RestController
  @RequestMapping("/api")
  static class Products {

    @GetMapping("/long/{id}")
    @BloomGuarded(filter = "products", key = "#id", onAbsent = OnAbsent.THROW, cache = "a")
    public String number(@PathVariable long id) {
      return "long " + id;
    }

    @GetMapping("/int/{id}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String smaller(@PathVariable int id) {
      return "int " + id;
    }

    @GetMapping({"/text/{name}", "/named/{name}"})
    @BloomGuarded(
        filter = "products",
        key = "#name",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String text(@PathVariable("name") String name) {
      return "text " + name;
    }

    @GetMapping("/text/search")
    public String search() {
      return "found";
    }

    @PostMapping("/text/{name}")
    public String change(@PathVariable String name) {
      return "changed";
    }

    @GetMapping("/uuid/{id}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String uuid(@PathVariable UUID id) {
      return "uuid " + id;
    }

    @GetMapping("/query")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String query(@RequestParam long id) {
      return "query " + id;
    }

    @GetMapping("/regex/{id:\\d+}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String regex(@PathVariable String id) {
      return "regex " + id;
    }

    @GetMapping(path = "/condition/{id}", params = "v=2", produces = "text/plain")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String condition(@PathVariable String id) {
      return "condition " + id;
    }

    @GetMapping(path = "/condition/{id}", params = "v=1")
    public String former(@PathVariable String id) {
      return "former " + id;
    }

    @GetMapping("/empty/{id}")
    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public String empty(@PathVariable String id) {
      return "empty " + id;
    }

    @GetMapping("/shared/{id}")
    @CrossOrigin("http://shop.example")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String shared(@PathVariable String id) {
      return "shared " + id;
    }

    @GetMapping("/further/{id}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String further(@PathVariable String id, @RequestParam int page) {
      return "further " + id;
    }

    @GetMapping("/intercepted/{id}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String intercepted(@PathVariable String id) {
      return "intercepted " + id;
    }

    @GetMapping("/refused/{id}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String refused(@PathVariable String id) {
      return "refused " + id;
    }

    @GetMapping("/viewed/{id}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String viewed(@PathVariable String id) {
      return "viewed " + id;
    }
  }

  /** The key is what the binder makes of it. */
  @RestController
  static class Bound {

    @InitBinder
    void editors(WebDataBinder binder) {
      binder.registerCustomEditor(
          String.class,
          new java.beans.PropertyEditorSupport() {
            @Override
            public void setAsText(String text) {
              setValue("a");
            }
          });
    }

    @GetMapping("/api/bound/{id}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String bound(@PathVariable String id) {
      return "bound " + id;
    }
  }

  /** The exception has an answer of its own. */
  @RestController
  static class Caught {

    @GetMapping("/api/caught/{id}")
    @BloomGuarded(
        filter = "products",
        key = "#id",
        onAbsent = OnAbsent.THROW,
        caching = Caching.NONE)
    public String caught(@PathVariable String id) {
      return "caught " + id;
    }

    @ExceptionHandler
    @ResponseStatus(HttpStatus.GONE)
    public String gone(RuntimeException e) {
      return "gone";
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    BloomguardAutoConfiguration.class,
    BloomguardWebAutoConfiguration.class,
    BloomguardActuatorAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    WebMvcAutoConfiguration.class,
    HttpMessageConvertersAutoConfiguration.class,
    JacksonAutoConfiguration.class,
    TomcatServletWebServerAutoConfiguration.class
  })
  static class Web implements WebMvcConfigurer {

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
      registry.addInterceptor(new HandlerInterceptor() {}).addPathPatterns("/api/intercepted/**");
      registry.addWebRequestInterceptor(new Refusal()).addPathPatterns("/api/refused/**");
      OpenEntityManagerInViewInterceptor view = new OpenEntityManagerInViewInterceptor();
      view.setEntityManagerFactory(mock(EntityManagerFactory.class));
      registry.addWebRequestInterceptor(view).addPathPatterns("/api/viewed/**");
    }

    @Bean
    Products products() {
      return new Products();
    }

    @Bean
    Bound bound() {
      return new Bound();
    }

    @Bean
    Caught caught() {
      return new Caught();
    }

    @Bean
    KeySource keys() {
      return sink -> {
        sink.accept("42");
        sink.accept("a");
        sink.accept(PRESENT);
      };
    }

    /** Without an order, as many applications have theirs. */
    @Bean
    Filter login() {
      return (request, response, chain) -> {
        if (request.getParameter("refused") == null) {
          chain.doFilter(request, response);
        } else {
          ((HttpServletResponse) response).sendError(401);
        }
      };
    }

    @Bean
    Dispatches dispatches() {
      return new Dispatches();
    }
  }

  /** Refuses by an exception, the only way of a {@link WebRequestInterceptor}. */
  static class Refusal implements WebRequestInterceptor {

    @Override
    public void preHandle(WebRequest request) {
      throw new ResponseStatusException(HttpStatus.FORBIDDEN);
    }

    @Override
    public void postHandle(WebRequest request, @Nullable ModelMap model) {}

    @Override
    public void afterCompletion(WebRequest request, @Nullable Exception exception) {}
  }

  /** Counts the requests that reach the dispatcher servlet. */
  static class Dispatches {

    private final AtomicInteger count = new AtomicInteger();

    @EventListener
    void handled(RequestHandledEvent event) {
      count.incrementAndGet();
    }
  }

  /** An application on a port. */
  record App(ServletWebServerApplicationContext context) implements AutoCloseable {

    static App start(Class<?>[] configurations, String... properties) {
      return new App(
          (ServletWebServerApplicationContext)
              new SpringApplicationBuilder(configurations)
                  .properties(
                      "spring.config.location=optional:classpath:/none/",
                      "server.port=0",
                      "server.address=127.0.0.1",
                      "bloomguard.filters.products.expected-insertions=1000",
                      "bloomguard.filters.products.false-positive-probability=0.000001",
                      "bloomguard.filters.products.source.bean=keys",
                      "bloomguard.filters.products.warm-up.mode=blocking",
                      "bloomguard.filters.products.verify.sample=0")
                  .properties(properties)
                  .run());
    }

    String send(String method, String path) throws IOException {
      int port = Objects.requireNonNull(context.getWebServer()).getPort();
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket
            .getOutputStream()
            .write(
                (method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    .getBytes(ISO_8859_1));
        return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
      }
    }

    int dispatched() {
      return context.getBean(Dispatches.class).count.get();
    }

    OutcomeCounters outcomes() {
      return context
          .getBean(OperatedFilters.class)
          .find("products")
          .orElseThrow()
          .guarded()
          .counters();
    }

    @Override
    public void close() {
      context.close();
    }
  }

  Class<?>[] configurations() {
    return new Class<?>[] {Web.class};
  }

  /** The properties that choose the place of the filter. */
  String[] backend() {
    return new String[] {"bloomguard.backend=local"};
  }

  App start(String... properties) {
    return App.start(
        configurations(),
        Stream.concat(Stream.of(backend()), Stream.of(properties)).toArray(String[]::new));
  }

  @BeforeAll
  void start() {
    String untried = "bloomguard.filters.products.verify.first=0";
    filtered = start(untried);
    plain =
        App.start(
            new Class<?>[] {Web.class},
            "bloomguard.backend=local",
            untried,
            "spring.mvc.log-resolved-exception=true");
  }

  @AfterAll
  void stop() {
    filtered.close();
    plain.close();
  }

  /** The first request makes the dispatcher servlet ready; until then it takes all requests. */
  @BeforeEach
  void warmUp() throws IOException {
    String unused = filtered.send("GET", "/api/long/42");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/long/7",
        "/api/long/043",
        "/api/long/+7",
        "/api/long/0x2b",
        "/api/long/%37",
        "/api/long/7;x=1",
        "/api/int/7",
        "/api/text/b",
        "/api/named/b",
        "/api/text/B%20b",
        "/api/uuid/00000000-0000-0000-0000-000000000000",
        "/api/query?id=7",
        "/api/query?id=7&other=8",
        "/api/regex/7",
        "/api/condition/b?v=2",
        "/api/viewed/b"
      })
  void absentKeyIsRejectedBeforeTheServlet(String path) throws IOException {
    int dispatched = filtered.dispatched();
    long rejected = filtered.outcomes().count(EntryPoint.METHOD, Outcome.REJECTED);
    String answer = filtered.send("GET", path);
    assertThat(status(answer)).isEqualTo(404);
    assertThat(answer).contains("application/problem+json", "There is nothing with this key.");
    assertThat(filtered.dispatched()).isEqualTo(dispatched);
    assertThat(filtered.outcomes().count(EntryPoint.METHOD, Outcome.REJECTED))
        .isEqualTo(rejected + 1);
    assertThat(status(plain.send("GET", path))).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /api/long/42",
        "GET /api/long/042",
        "GET /api/long/0x2a",
        "GET /api/long/%34%32",
        "GET /api/long/abc",
        "GET /api/long/",
        "GET /api/long/9223372036854775808",
        "GET /api/int/3000000000",
        "GET /api/text/a",
        "GET /api/text/a;b=c",
        "GET /api/text/search",
        "POST /api/text/b",
        "GET /api/text/%0A",
        "GET /api/uuid/" + PRESENT,
        "GET /api/uuid/x",
        "GET /api/query",
        "GET /api/query?id=",
        "GET /api/query?id=42",
        "GET /api/query?id=42&id=7",
        "GET /api/query?id=7&id=42",
        "GET /api/regex/b",
        "GET /api/condition/b?v=1",
        "GET /api/condition/b",
        "GET /api/empty/b",
        "GET /api/shared/b",
        "GET /api/further/b",
        "GET /api/further/b?page=1",
        "GET /api/intercepted/b",
        "GET /api/refused/b",
        "GET /api/bound/b",
        "GET /api/caught/b",
        "OPTIONS /api/long/7",
        "DELETE /api/long/7"
      })
  void everythingElseIsDecidedByTheHandler(String request) throws IOException {
    String method = request.substring(0, request.indexOf(' '));
    String path = request.substring(method.length() + 1);
    int dispatched = filtered.dispatched();
    String answer = filtered.send(method, path);
    assertThat(filtered.dispatched()).isEqualTo(dispatched + 1);
    assertThat(status(answer)).isEqualTo(status(plain.send(method, path)));
  }

  @Test
  void aFilterOfTheApplicationWithoutOrderRefusesBefore() throws IOException {
    assertThat(status(filtered.send("GET", "/api/long/7?refused"))).isEqualTo(401);
    assertThat(status(filtered.send("GET", "/api/long/42?refused"))).isEqualTo(401);
  }

  @Test
  void headIsAnsweredAsGet() throws IOException {
    int dispatched = filtered.dispatched();
    String answer = filtered.send("HEAD", "/api/long/7");
    assertThat(status(answer)).isEqualTo(404);
    assertThat(answer).endsWith("\r\n\r\n");
    assertThat(filtered.dispatched()).isEqualTo(dispatched);
  }

  @Test
  void invalidKeyIsCountedOnce() throws IOException {
    long errors = filtered.outcomes().count(EntryPoint.METHOD, Outcome.ERROR);
    String unused = filtered.send("GET", "/api/text/%0A");
    assertThat(filtered.outcomes().count(EntryPoint.METHOD, Outcome.ERROR)).isEqualTo(errors + 1);
  }

  @Test
  void trialOfARejectedKeyGoesToTheHandlerAndIsCountedOnce() throws IOException {
    try (App app = start("bloomguard.filters.products.verify.first=1")) {
      String unused = app.send("GET", "/api/text/search");
      int dispatched = app.dispatched();
      // The handler has a product for every key: the rejection is wrong, and counted as loaded.
      assertThat(app.send("GET", "/api/long/7")).contains("long 7");
      assertThat(app.dispatched()).isEqualTo(dispatched + 1);
      OutcomeCounters outcomes = app.outcomes();
      assertThat(outcomes.count(EntryPoint.METHOD, Outcome.LOADED)).isEqualTo(1);
      assertThat(outcomes.count(Outcome.REJECTED)).isZero();
      // Which disarms the filter: all keys pass, and the handler counts them.
      assertThat(app.send("GET", "/api/long/8")).contains("long 8");
      assertThat(outcomes.count(EntryPoint.METHOD, Outcome.REJECTED)).isEqualTo(1);
      assertThat(outcomes.count(EntryPoint.WEB, Outcome.REJECTED)).isZero();
    }
  }

  static int status(String answer) {
    return Integer.parseInt(answer.substring(9, 12));
  }
}
