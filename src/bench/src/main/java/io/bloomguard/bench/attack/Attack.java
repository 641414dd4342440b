package io.bloomguard.bench.attack;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The attack on every contestant, one after the other, and what it cost each. */
public final class Attack {

  /** The load that every contestant bears. */
  static final String COMMON = "common";

  /** The highest that a contestant bears. */
  static final String HIGHEST = "highest";

  private static final int SHOP_CORE = 0;
  private static final int GENERATOR_CORE = 1;

  /** The bound of a rate that is borne. */
  static final long MAX_P99 = TimeUnit.MILLISECONDS.toNanos(100);

  private static final List<String> SHOP =
      List.of(
          "--server.address=127.0.0.1",
          "--server.tomcat.threads.max=" + Load.CONNECTIONS,
          "--server.tomcat.threads.min-spare=" + Load.CONNECTIONS,
          "--server.tomcat.max-keep-alive-requests=-1",
          "--server.tomcat.keep-alive-timeout=60s",
          "--spring.datasource.hikari.maximum-pool-size=10",
          "--spring.main.banner-mode=off");

  /** The lifetime of nulls that articles on penetration advise at most. */
  private static final String LONG_NULLS = "--shop.null-ttl=5m";

  private final AttackForm form;
  private final ShopDatabase database;

  private Attack(AttackForm form, ShopDatabase database) {
    this.form = form;
    this.database = database;
  }

  /** The figures of all contestants, two rows each: the highest rate, and the common one. */
  public static List<Map<String, Object>> rows(ShopDatabase database, boolean isShort) {
    Attack attack = new Attack(form(isShort), database);
    List<ShopContestant> contestants =
        database == ShopDatabase.NEAR ? ShopContestant.ALL : ShopContestant.FAR;
    return attack.rows(contestants, List.of(), attack::highestAndCommon);
  }

  /** What a flood of bots does to a cache that keeps nulls and to ours, a row for each interval. */
  public static List<Map<String, Object>> flood(boolean isShort) {
    Flood flood = isShort ? Flood.SHORT : Flood.FULL;
    return new Attack(form(isShort), ShopDatabase.NEAR)
        .rows(
            ShopContestant.FLOODED,
            List.of(LONG_NULLS),
            (measurement, generator) -> measurement.flood(flood));
  }

  private static AttackForm form(boolean isShort) {
    return isShort ? AttackForm.SHORT : AttackForm.FULL;
  }

  private List<Map<String, Object>> rows(
      List<ShopContestant> contestants, List<String> arguments, Plan plan) {
    List<Map<String, Object>> rows = new ArrayList<>();
    try (Backends backends = new Backends(database, !form.pinned())) {
      if (form.pinned()) {
        backends.pin(SHOP_CORE, GENERATOR_CORE);
      }
      for (ShopContestant contestant : contestants) {
        if (form.pinned() || contestant.inShortForm()) {
          backends.reset();
          rows.addAll(rowsOrReason(contestant, backends, arguments, plan));
        }
      }
      return rows;
    } catch (IOException | SQLException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** One that fails does not keep the others from their figures, if figures are what is wanted. */
  private List<Map<String, Object>> rowsOrReason(
      ShopContestant contestant, Backends backends, List<String> arguments, Plan plan)
      throws IOException, InterruptedException {
    try {
      return rows(contestant, backends, arguments, plan);
    } catch (FalseAbsentException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      if (!form.pinned()) {
        throw e;
      }
      e.printStackTrace();
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("contestant", contestant.name());
      row.put("why not", String.valueOf(e.getMessage()));
      return List.of(row);
    }
  }

  private List<Map<String, Object>> rows(
      ShopContestant contestant, Backends backends, List<String> more, Plan plan)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(SHOP);
    arguments.addAll(backends.arguments());
    arguments.addAll(more);
    try (ShopProcess shop = new ShopProcess(contestant, form.jvm(), arguments)) {
      shop.awaitReady();
      try (GeneratorProcess generator = new GeneratorProcess(shop.port(), database)) {
        pin(generator.handle(), GENERATOR_CORE);
        AttackMeasurement measurement =
            new AttackMeasurement(contestant, backends, shop, generator);
        // On both cores: on one that is busy, the compiler would not be done before the figures.
        measurement.warmUp(form);
        pin(shop.handle(), SHOP_CORE);
        // On one core threads meet in other ways, for which much is compiled once more.
        generator.closed(form.rushSeconds());
        List<Map<String, Object>> rows = plan.rows(measurement, generator);
        measurement.requireNoFalseAbsent();
        return rows;
      }
    }
  }

  private List<Map<String, Object>> highestAndCommon(
      AttackMeasurement measurement, GeneratorProcess generator)
      throws IOException, InterruptedException {
    double capacity = generator.closed(form.capacitySeconds()).rate();
    return List.of(
        highest(measurement, generator, capacity),
        measurement.row(COMMON, form.commonRate(), form.commonSeconds()));
  }

  private void pin(ProcessHandle process, int core) throws IOException, InterruptedException {
    if (form.pinned()) {
      ProcessTime.pin(process, core);
    }
  }

  /**
   * Looks for the highest rate in steps of five per cent: by halves in short loads, and then, as
   * the figures are to be of a rate that lasts, downwards in long ones, by twice as many steps each
   * time.
   */
  private Map<String, Object> highest(
      AttackMeasurement measurement, GeneratorProcess generator, double capacity)
      throws IOException, InterruptedException {
    int low = 0;
    int high = form.steps();
    while (high - low > 1) {
      int middle = (low + high) / 2;
      if (isBorne(generator.open(rate(capacity, middle), form.stepSeconds()))) {
        low = middle;
      } else {
        high = middle;
      }
    }
    for (int down = 1; ; down *= 2) {
      Map<String, Object> row =
          measurement.row(HIGHEST, rate(capacity, low), form.highestSeconds());
      if (!form.pinned() || isBorne(measurement.last())) {
        return row;
      }
      if (down > form.steps()) {
        throw new IllegalStateException("No rate is borne");
      }
      low -= down;
    }
  }

  /** A step above or below half of what a closed loop gets, which no open one does. */
  private static int rate(double capacity, int step) {
    return Math.max(1, (int) (capacity / 2 * Math.pow(1.05, step)));
  }

  static boolean isBorne(LoadFigures figures) {
    return figures.answered() == figures.offered()
        && figures.p99() <= MAX_P99
        && figures.errors() * 1_000 <= figures.offered();
  }

  /** What is measured of a shop that is warm. */
  private interface Plan {
    List<Map<String, Object>> rows(AttackMeasurement measurement, GeneratorProcess generator)
        throws IOException, InterruptedException;
  }

  /** A promise is broken, which is no figure. */
  static final class FalseAbsentException extends RuntimeException {

    private static final long serialVersionUID = 1;

    FalseAbsentException(String message) {
      super(message);
    }
  }
}
