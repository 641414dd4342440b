package io.bloomguard.bench.attack;

import io.bloomguard.bench.attack.KeyMix.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * The generator of the load, a process of its own: each line that it reads is a load, which it
 * answers with a line of {@link LoadFigures}, a flood with one at each interval.
 */
public final class LoadGenerator {

  private LoadGenerator() {}

  /**
   * Sends loads to the port that is the first argument, for the database that is the second: the
   * mix of an attack, or the kind that is the third.
   */
  public static void main(String[] arguments) throws IOException {
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    int port = Integer.parseInt(arguments[0]);
    ShopDatabase database = ShopDatabase.valueOf(arguments[1]);
    Kind only = arguments.length == 2 ? null : Kind.valueOf(arguments[2]);
    try (Load load = new Load(port, database, only)) {
      for (String order = orders.readLine(); order != null; order = orders.readLine()) {
        send(load, order.split(" "));
      }
    }
  }

  private static void send(Load load, String[] order) throws IOException {
    switch (order[0]) {
      case "hot" -> answer(load.hot());
      case "closed" -> answer(load.closed(Double.parseDouble(order[1])));
      case "open" -> answer(load.open(Integer.parseInt(order[1]), Double.parseDouble(order[2])));
      case Flood.ORDER -> load.flood(Flood.parse(order), LoadGenerator::answer);
      default -> throw new IllegalArgumentException(order[0]);
    }
  }

  private static void answer(LoadFigures figures) {
    System.out.println(figures.line());
  }
}
