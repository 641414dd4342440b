package io.bloomguard.it.realinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.support.Form;
import io.bloomguard.it.support.Http;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cache penetration: requests for names that do not exist, at an annotated repository. */
@ExtendWith(RealParts.Provider.class)
class AbsentRequestsTest {

  private static final int REQUESTS = Form.of(20_000, 50_000);
  private static final int OVER_HTTP = 2_000;
  private static final int THREADS = 8;

  @ParameterizedTest
  @ValueSource(strings = {"local", "redis"})
  void absentNamesCauseNoMoreQueriesThanTheFilterPassedFalsely(String backend, RealParts parts)
      throws Exception {
    List<String> real = parts.names();
    List<String> absent = Names.absent(real, REQUESTS, 7);
    QueryMonitor queries = new QueryMonitor();
    List<String> arguments = new ArrayList<>(parts.arguments(backend));
    try (Application application = new Application(queries, arguments).awaitReady(real.get(0))) {
      int before = queries.executed();

      callMethod(application, absent.subList(OVER_HTTP, REQUESTS));
      requestOverHttp(application, absent.subList(0, OVER_HTTP));

      int caused = queries.executed() - before;
      long rejected = application.outcomes("rejected");
      long falsePositives = application.outcomes("false_positive");
      System.out.printf(
          "RESULT @BloomGuarded repository, %s: %d requests for absent names, %d rejected, %d false"
              + " positives, %d database queries%n",
          backend, REQUESTS, rejected, falsePositives, caused);
      assertThat(rejected + falsePositives).isEqualTo(REQUESTS);
      assertThat(falsePositives).isPositive();
      assertThat(caused).isLessThanOrEqualTo((int) falsePositives);

      // That queries are counted at all.
      assertThat(application.packages().find(real.get(41)))
          .contains(new PackageEntry(real.get(41), 42));
      assertThat(queries.executed() - before).isEqualTo(caused + 1);
    }
  }

  private static void callMethod(Application application, List<String> names) throws Exception {
    Packages packages = application.packages();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<Void>> calls = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        int first = thread;
        calls.add(
            () -> {
              for (int i = first; i < names.size(); i += THREADS) {
                assertThat(packages.find(names.get(i))).isEmpty();
              }
              return null;
            });
      }
      for (Future<Void> call : threads.invokeAll(calls)) {
        call.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void requestOverHttp(Application application, List<String> names)
      throws Exception {
    for (String name : names) {
      assertThat(Http.get(application.uri(name)).statusCode()).isEqualTo(404);
    }
  }
}
