package io.bloomguard.it.clicks;

import static org.apache.spark.sql.functions.col;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;

/** The program that counts clicks: it reads what is in the topic, and ends. */
final class Counter {

  private static Table table;
  private static Clicks filter;

  private Counter() {}

  /**
   * @param arguments "check" or "claim", Kafka's address, the server's, the file of the table, the
   *     folder of checkpoints
   */
  public static void main(String[] arguments) throws Exception {
    table = new Table(arguments[3]);
    filter = new Clicks(arguments[2]);
    SparkSession spark =
        SparkSession.builder()
            .master("local[2, 4]")
            .config("spark.ui.enabled", false)
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", 2)
            .getOrCreate();
    Dataset<Row> clicks =
        spark
            .readStream()
            .format("kafka")
            .option("kafka.bootstrap.servers", arguments[1])
            .option("subscribe", "clicks")
            .option("startingOffsets", "earliest")
            .option("maxOffsetsPerTrigger", 100)
            .load()
            .selectExpr("cast(value as string) as id", "topic", "partition", "offset");
    boolean checks = arguments[0].equals("check");
    clicks
        .writeStream()
        .foreachBatch(
            (Dataset<Row> batch, Long id) -> {
              System.out.println("batch " + id);
              if (checks) {
                checked(batch, id);
              } else {
                batch.foreachPartition((ForeachPartitionFunction<Row>) Counter::claimed);
              }
              Fault.at("after the batch");
            })
        .option("checkpointLocation", arguments[4])
        .trigger(Trigger.AvailableNow())
        .start()
        .awaitTermination();
    spark.stop();
    table.close();
  }

  /** Check, write what is absent by the batch's id, and only after the commit add. */
  private static void checked(Dataset<Row> batch, long id) throws Exception {
    List<String> ids =
        batch.select(col("id")).dropDuplicates().as(Encoders.STRING()).collectAsList();
    Fault.at("before the check");
    String work = "batch " + id;
    if (!table.hasWork(work)) {
      List<String> answers = filter.check(ids);
      List<String> fresh = new ArrayList<>();
      for (int i = 0; i < ids.size(); i++) {
        // A false positive and an unknown key are looked up.
        if (answers.get(i).equals("ABSENT") || !table.has(ids.get(i))) {
          fresh.add(ids.get(i));
        }
      }
      Fault.at("before the commit");
      table.count(fresh, work);
    }
    Fault.at("after the commit");
    filter.add(ids.subList(0, ids.size() / 2));
    Fault.at("between adds");
    filter.add(ids.subList(ids.size() / 2, ids.size()));
  }

  /** Add under a claim of what is repeated, and write what was new by the claim. */
  private static void claimed(Iterator<Row> rows) throws Exception {
    List<String> ids = new ArrayList<>();
    String claim = null;
    while (rows.hasNext()) {
      Row row = rows.next();
      if (claim == null) {
        claim = "counts/" + row.getString(1) + "/" + row.getInt(2) + "/" + row.getLong(3);
      }
      ids.add(row.getString(0));
    }
    if (claim == null) {
      return;
    }
    Fault.at("before the add");
    List<Boolean> isNew = filter.addEach(ids, claim);
    Fault.at("after the add");
    if (!table.hasWork(claim)) {
      List<String> fresh = new ArrayList<>();
      for (int i = 0; i < ids.size(); i++) {
        if (isNew.get(i)) {
          fresh.add(ids.get(i));
        }
      }
      table.count(fresh, claim);
    }
    Fault.at("after the write");
  }
}
