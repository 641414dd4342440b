package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import io.bloomguard.annotation.OnAbsent;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.KeyRejectedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import jakarta.servlet.Filter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A blacklist in an application: what it rejects at each entry, and what stops the start. */
class BlacklistWiringTest {

  private static final String REVOKED = "bloomguard.filters.revoked.";

  private static final String[] LIST = {
    REVOKED + "reject=present",
    REVOKED + "on-unknown=closed",
    REVOKED + "false-positive-probability=0.000001",
    REVOKED + "source.bean=revokedTokens",
    REVOKED + "warm-up.mode=blocking"
  };

  static class Accounts {

    private final List<Object> calls = new CopyOnWriteArrayList<>();

    /** A field of the proxy would be another. */
    public List<Object> calls() {
      return calls;
    }

    @BloomGuarded(filter = "revoked", key = "#token")
    public Optional<String> find(long token) {
      calls.add(token);
      return Optional.of("account");
    }

    @BloomGuarded(filter = "revoked", key = "#token", caching = Caching.NONE)
    public @Nullable String nothing(long token) {
      calls.add(token);
      return null;
    }

    @BloomGuarded(filter = "revoked", key = "#token", onAbsent = OnAbsent.THROW)
    public void transfer(long token) {
      calls.add(token);
    }

    @BloomGuarded(filter = "revoked", key = "#token", onAbsent = OnAbsent.THROW)
    public @Nullable String mayBeNull(long token) {
      calls.add(token);
      return null;
    }

    @BloomGuarded(filter = "revoked", key = "#tokens")
    public Set<Long> each(List<Long> tokens) {
      calls.addAll(tokens);
      return Set.copyOf(tokens);
    }

    @BloomGuarded(filter = "revoked", key = "#tokens")
    public Map<Long, String> all(List<Long> tokens) {
      calls.addAll(tokens);
      return Map.of(tokens.get(0), "account");
    }

    @BloomGuarded(filter = "revoked", key = "#tokens", onAbsent = OnAbsent.THROW)
    public Set<Long> eachOrNone(List<Long> tokens) {
      return Set.copyOf(tokens);
    }

    @BloomGuarded(filter = "revoked", key = "#token")
    public CompletableFuture<Optional<String>> later(long token) {
      calls.add(token);
      return CompletableFuture.completedFuture(Optional.of("account"));
    }

    @BloomGuarded(filter = "revoked", key = "#token", onAbsent = OnAbsent.THROW)
    public CompletableFuture<String> laterOrThrow(long token) {
      calls.add(token);
      return CompletableFuture.completedFuture("account");
    }

    @BloomGuarded(filter = "revoked", key = "#token")
    public Mono<String> mono(long token) {
      return Mono.fromSupplier(() -> called(token));
    }

    @BloomGuarded(filter = "revoked", key = "#token", onAbsent = OnAbsent.THROW)
    public Mono<String> monoOrThrow(long token) {
      return Mono.fromSupplier(() -> called(token));
    }

    @BloomGuarded(filter = "revoked", key = "#token")
    public Flux<String> flux(long token) {
      return Flux.defer(() -> Flux.just(called(token), "more"));
    }

    @BloomGuarded(filter = "revoked", key = "#token", onAbsent = OnAbsent.THROW)
    public Flux<String> fluxOrThrow(long token) {
      return Flux.defer(() -> Flux.just(called(token), "more"));
    }

    @BloomPut(filter = "revoked", key = "#token")
    public void revoke(long token) {
      calls.add("revoked " + token);
    }

    private String called(long token) {
      calls.add(token);
      return "account";
    }
  }

  private enum Call {
    FIND(accounts -> accounts.find(7).orElse(null)),
    NOTHING(accounts -> accounts.nothing(7)),
    EACH(accounts -> accounts.each(List.of(7L)).stream().findFirst().orElse(null)),
    ALL(accounts -> accounts.all(List.of(7L)).get(7L)),
    LATER(accounts -> accounts.later(7).join().orElse(null)),
    MONO(accounts -> accounts.mono(7).block()),
    FLUX(accounts -> accounts.flux(7).blockFirst());

    @SuppressWarnings("ImmutableEnumChecker") // holds nothing
    private final Function<Accounts, @Nullable Object> of;

    Call(Function<Accounts, @Nullable Object> of) {
      this.of = of;
    }
  }

  private enum Throwing {
    TRANSFER(
        accounts -> {
          accounts.transfer(7);
          return null;
        }),
    EACH(accounts -> accounts.eachOrNone(List.of(7L))),
    LATER(accounts -> accounts.laterOrThrow(7).join()),
    MONO(accounts -> accounts.monoOrThrow(7).block()),
    FLUX(accounts -> accounts.fluxOrThrow(7).blockFirst());

    @SuppressWarnings("ImmutableEnumChecker") // holds nothing
    private final Function<Accounts, @Nullable Object> of;

    Throwing(Function<Accounts, @Nullable Object> of) {
      this.of = of;
    }
  }

  private static ApplicationContextRunner application(String... more) {
    return Wiring.application()
        .withBean("revokedTokens", KeySource.class, () -> sink -> sink.accept(7L))
        .withBean(Accounts.class)
        .withPropertyValues(LIST)
        .withPropertyValues(more);
  }

  private static long count(ApplicationContext context, EntryPoint entry, Outcome outcome) {
    return context
        .getBean(ConfiguredFilters.class)
        .all()
        .get(0)
        .guarded()
        .counters()
        .count(entry, outcome);
  }

  @ParameterizedTest
  @EnumSource
  void aListedKeyIsAnsweredEmptyWithoutACall(Call call) {
    application()
        .run(
            context -> {
              Accounts accounts = context.getBean(Accounts.class);
              assertThat(call.of.apply(accounts)).isNull();
              assertThat(accounts.calls()).isEmpty();
              assertThat(count(context, EntryPoint.METHOD, Outcome.REJECTED)).isOne();
            });
  }

  @ParameterizedTest
  @EnumSource
  void aListedKeyIsThrownWhereTheMethodSaysSo(Throwing call) {
    application()
        .run(
            context -> {
              Accounts accounts = context.getBean(Accounts.class);
              assertThatThrownBy(
                      () -> {
                        try {
                          call.of.apply(accounts);
                        } catch (CompletionException e) {
                          throw e.getCause();
                        }
                      })
                  .isInstanceOf(KeyRejectedException.class)
                  .hasMessageNotContaining("7");
              assertThat(accounts.calls()).isEmpty();
            });
  }

  @Test
  void whatIsNotListedIsPassedOnAsItIsAndNothingIsKept() {
    application()
        .run(
            context -> {
              Accounts accounts = context.getBean(Accounts.class);
              assertThat(accounts.find(8)).contains("account");
              assertThat(accounts.find(8)).contains("account");
              assertThat(accounts.nothing(8)).isNull();
              assertThat(accounts.mayBeNull(8)).isNull();
              accounts.transfer(8);
              assertThat(accounts.each(List.of(6L, 7L, 8L))).containsExactlyInAnyOrder(6L, 8L);
              assertThat(accounts.all(List.of(7L, 9L))).containsExactly(Map.entry(9L, "account"));
              assertThat(accounts.later(8).join()).contains("account");
              assertThat(accounts.laterOrThrow(8).join()).isEqualTo("account");
              assertThat(accounts.mono(8).block()).isEqualTo("account");
              assertThat(accounts.flux(8).collectList().block()).containsExactly("account", "more");
              assertThat(accounts.calls())
                  .containsExactly(8L, 8L, 8L, 8L, 8L, 6L, 8L, 9L, 8L, 8L, 8L, 8L);
              assertThat(count(context, EntryPoint.METHOD, Outcome.REJECTED)).isEqualTo(2);
              assertThat(count(context, EntryPoint.METHOD, Outcome.PASSED)).isEqualTo(12);
              assertThat(context.getBean(BloomGuards.class).guard("revoked").check(7))
                  .isEqualTo(Membership.POSSIBLY_PRESENT);
              assertThat(
                      context
                          .getBean(ConfiguredFilters.class)
                          .all()
                          .get(0)
                          .managed()
                          .status()
                          .state())
                  .isEqualTo(FilterState.READY);
            });
  }

  @Test
  void whatIsPutIsRejectedFromThenOn() {
    application()
        .run(
            context -> {
              Accounts accounts = context.getBean(Accounts.class);
              accounts.revoke(8);
              assertThat(accounts.find(8)).isEmpty();
            });
  }

  @Test
  void aListThatObservesRejectsNothing() {
    application(REVOKED + "mode=observe")
        .run(
            context -> {
              assertThat(context.getBean(Accounts.class).find(7)).contains("account");
              assertThat(count(context, EntryPoint.METHOD, Outcome.REJECTED)).isOne();
            });
  }

  @ParameterizedTest
  @CsvSource({"open, BYPASSED", "closed, SHED"})
  void aListThatIsNotReadyDoesAsItsPolicySays(String policy, Outcome outcome) {
    application(REVOKED + "warm-up.mode=none", REVOKED + "on-unknown=" + policy)
        .run(
            context -> {
              Accounts accounts = context.getBean(Accounts.class);
              if (outcome == Outcome.BYPASSED) {
                assertThat(accounts.find(7)).contains("account");
              } else {
                assertThatThrownBy(() -> accounts.find(7)).isInstanceOf(RequestShedException.class);
              }
              assertThat(count(context, EntryPoint.METHOD, outcome)).isOne();
            });
  }

  @Test
  void theExactSourceIsAskedBeforeAKeyIsRejected() {
    application(REVOKED + "confirm.jdbc.query=select 1 from revoked where id = ?")
        .withBean(DataSource.class, BlacklistWiringTest::database)
        .run(
            context -> {
              Accounts accounts = context.getBean(Accounts.class);
              JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
              jdbc.execute("create table revoked (id bigint primary key)");

              assertThat(accounts.find(7)).contains("account");
              assertThat(count(context, EntryPoint.METHOD, Outcome.FALSE_POSITIVE)).isOne();
              assertThat(accounts.mono(7).block()).isEqualTo("account");
              assertThat(accounts.later(7).join()).contains("account");

              jdbc.update("insert into revoked values (7)");
              assertThat(accounts.find(7)).isEmpty();
              assertThat(accounts.mono(7).block()).isNull();
              assertThat(accounts.later(7).join()).isEmpty();
              assertThat(count(context, EntryPoint.METHOD, Outcome.REJECTED)).isEqualTo(3);

              jdbc.execute("drop table revoked");
              assertThatThrownBy(() -> accounts.find(7)).isInstanceOf(RequestShedException.class);
              assertThat(accounts.find(8)).contains("account");
            });
  }

  private static DataSource database() {
    return new EmbeddedDatabaseBuilder()
        .setType(EmbeddedDatabaseType.H2)
        .generateUniqueName(true)
        .build();
  }

  @Test
  void aWebRuleAnswers403WithoutTheKey() {
    Wiring.webApplication()
        .withBean("revokedTokens", KeySource.class, () -> sink -> sink.accept(7L))
        .withPropertyValues(LIST)
        .withPropertyValues(
            "bloomguard.web.rules[0].pattern=/transfers/{token}",
            "bloomguard.web.rules[0].filter=revoked",
            "bloomguard.web.rules[0].key=token",
            "bloomguard.web.rules[0].type=long",
            "bloomguard.web.rules[0].methods=GET,POST")
        .run(
            context -> {
              Filter rules = context.getBean(FilterRegistrationBean.class).getFilter();
              MockHttpServletResponse rejected = answer(rules, "/transfers/7");
              assertThat(rejected.getStatus()).isEqualTo(403);
              assertThat(rejected.getContentType()).isEqualTo("application/problem+json");
              assertThat(rejected.getContentAsString())
                  .isEqualTo(
                      "{\"type\":\"about:blank\",\"title\":\"Forbidden\",\"status\":403,"
                          + "\"detail\":\"This key is rejected.\"}");
              assertThat(answer(rules, "/transfers/8").getStatus()).isEqualTo(200);
              assertThat(count(context, EntryPoint.WEB, Outcome.REJECTED)).isOne();
              assertThat(count(context, EntryPoint.WEB, Outcome.PASSED)).isOne();
            });
  }

  private static MockHttpServletResponse answer(Filter rules, String path) throws Exception {
    MockHttpServletResponse response = new MockHttpServletResponse();
    rules.doFilter(new MockHttpServletRequest("POST", path), response, new MockFilterChain());
    return response;
  }

  private static FailureAnalysis failure(String... more) {
    return Wiring.failure(application(more));
  }

  private static void assertTells(FailureAnalysis failure, String... parts) {
    assertThat(failure.getDescription() + " " + failure.getAction()).contains(parts);
  }

  @Test
  void aListWithoutAPolicyDoesNotStart() {
    List<String> settings = new ArrayList<>(List.of(LIST));
    settings.remove(1);
    AbstractApplicationContextRunner<?, ?, ?> application =
        Wiring.application().withPropertyValues(settings.toArray(String[]::new));

    assertTells(
        Wiring.failure(application), REVOKED + "on-unknown is not set", "'open'", "'closed'");
  }

  @ParameterizedTest
  @CsvSource({
    "verify.first=10, revoked.verify is set",
    "cache.ttl=1m, revoked.cache is set",
    "reject=absent confirm.jdbc.query=select 1 from t where id = ?, revoked.confirm is set",
    "confirm.jdbc.timeout=2s, exactly one ?",
    "confirm.jdbc.query=select 1 from t, has 0 parameters",
    "confirm.jdbc.query=select 1 from t where a = ? or b = ?, has 2 parameters",
    "confirm.jdbc.query=SELECT count(*) from t where a = ?, a row for every key",
    "confirm.jdbc.query= select exists (select 1 from t where a = ?), a row for every key"
  })
  void settingsThatMakeNoSenseStopTheStart(String settings, String told) {
    String[] each =
        settings.startsWith("reject=absent ")
            ? new String[] {
              REVOKED + "reject=absent", REVOKED + settings.substring("reject=absent ".length())
            }
            : new String[] {REVOKED + settings};
    assertTells(failure(each), told);
  }

  @Test
  void aConfirmationNeedsADataSource() {
    assertTells(
        failure(REVOKED + "confirm.jdbc.query=select 1 from revoked where id = ?"),
        "JDBC confirm, which needs one data source");
    assertTells(
        Wiring.failure(
            application(
                    REVOKED + "confirm.jdbc.query=select 1 from revoked where id = ?",
                    REVOKED + "confirm.jdbc.data-source=other")
                .withBean(DataSource.class, BlacklistWiringTest::database)),
        REVOKED + "confirm.jdbc.data-source is 'other'");
  }

  static class Keeping {
    @BloomGuarded(filter = "revoked", key = "#token", caching = Caching.VALUES)
    public Optional<String> find(long token) {
      return Optional.empty();
    }
  }

  static class KeepingNulls {
    @BloomGuarded(filter = "revoked", key = "#token", caching = Caching.NULLS)
    public Optional<String> find(long token) {
      return Optional.empty();
    }
  }

  static class WithLifetime {
    @BloomGuarded(filter = "revoked", key = "#token", ttl = "1m")
    public Optional<String> find(long token) {
      return Optional.empty();
    }
  }

  static class Primitive {
    @BloomGuarded(filter = "revoked", key = "#token")
    public int find(long token) {
      return 0;
    }
  }

  @Test
  void methodsThatWouldKeepSomethingStopTheStart() {
    assertTells(Wiring.failure(application().withBean(Keeping.class)), "VALUES", "blacklist");
    assertTells(Wiring.failure(application().withBean(KeepingNulls.class)), "NULLS", "blacklist");
    assertTells(Wiring.failure(application().withBean(WithLifetime.class)), "ttl");
    assertTells(Wiring.failure(application().withBean(Primitive.class)), "int");
  }

  @Test
  void aRuleThatVerifiesAListStopsTheStart() {
    assertTells(
        Wiring.failure(
            Wiring.webApplication()
                .withBean("revokedTokens", KeySource.class, () -> sink -> sink.accept(7L))
                .withPropertyValues(LIST)
                .withPropertyValues(
                    "bloomguard.web.rules[0].pattern=/transfers/{token}",
                    "bloomguard.web.rules[0].filter=revoked",
                    "bloomguard.web.rules[0].key=token",
                    "bloomguard.web.rules[0].verify=true")),
        "verify: true",
        "blacklist");
  }
}
