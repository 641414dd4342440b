package io.bloomguard.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.image.ImagePlan;
import io.bloomguard.image.ImageSet;
import io.bloomguard.image.ImageWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.util.SerializableConfiguration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * Builds the image set of a filter from a table of keys.
 *
 * <p>Executors hash keys and write slices as files; no executor writes to a Redis, where a late
 * attempt could erase an acknowledged add. A task writes a file of its own name for each attempt,
 * and the driver's manifest, which comes last, names the files of the attempts whose results it
 * has. So what failed, or was run twice, leaves files that nothing reads.
 */
public final class BuildImages {

  private static final Logger log = LoggerFactory.getLogger(BuildImages.class);

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmssSSS").withZone(ZoneOffset.UTC);

  private BuildImages() {}

  /**
   * The command; see {@link JobOptions} for its options.
   *
   * @param arguments the options
   * @throws IOException if the set cannot be written
   */
  public static void main(String[] arguments) throws IOException {
    JobOptions options;
    try {
      options = JobOptions.parse(arguments);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(2);
      return;
    }
    try (SparkSession spark = SparkSession.builder().appName("bloomguard-images").getOrCreate()) {
      ImageSet set = build(spark.sql(options.sql()), options.job());
      System.out.println(summary(set, options.job()));
    }
  }

  private static String summary(ImageSet set, ImageJob job) {
    return "Filter '"
        + set.plan().filter()
        + "': "
        + set.keys()
        + " keys read, "
        + set.unusable()
        + " unusable, about "
        + set.estimatedElements()
        + " distinct, in "
        + set.slices().size()
        + " slices as of "
        + set.asOf()
        + ": "
        + job.out()
        + "/"
        + ImageJob.MANIFEST;
  }

  /**
   * Builds a set and puts its manifest in place of the former one.
   *
   * @param keys a table with one column, the keys
   * @param job what to build, and where
   * @return the set
   * @throws IOException if the set cannot be written
   * @throws IllegalArgumentException if the column's type has no canonical text
   * @throws IllegalStateException if too many keys are unusable, the set is overfull, or a newer
   *     set has taken the place meanwhile
   */
  public static ImageSet build(Dataset<Row> keys, ImageJob job) throws IOException {
    TableKeys column = TableKeys.of(keys.schema());
    SerializableConfiguration settings =
        new SerializableConfiguration(keys.sparkSession().sparkContext().hadoopConfiguration());
    HadoopStorage storage = new HadoopStorage(job.out(), settings.value());
    ImageSet former = former(storage, job.secret());
    String folder = job.plan().filter() + "-" + TIME.format(Instant.now()) + "-" + random();
    Work work = new Work(job, column, folder, settings);
    List<Part> parts =
        // Its own rows, because a copy of each costs as much as its hash.
        keys.queryExecution()
            .toRdd()
            .toJavaRDD()
            .mapPartitionsToPair(work::packed)
            .partitionBy(new Slices(job.plan().slices() + 1))
            .mapPartitionsWithIndex(work::written, true)
            .collect();
    ImageSet set = set(job, parts);
    publish(storage, job, set, former);
    clear(storage, folder, set, former);
    return set;
  }

  private static String random() {
    return UUID.randomUUID().toString().substring(0, 8);
  }

  private static ImageSet set(ImageJob job, List<Part> parts) {
    TreeMap<Integer, ImageSet.Slice> slices = new TreeMap<>();
    long keys = 0;
    long unusable = 0;
    for (Part part : parts) {
      keys += part.keys();
      unusable += part.unusable();
      if (part.slice() != null) {
        slices.put(part.number(), part.slice());
      }
    }
    ImageSet set =
        new ImageSet(
            job.plan(),
            job.asOf().minus(job.lag()),
            job.position(),
            keys,
            unusable,
            true,
            new ArrayList<>(slices.values()));
    if (unusable > job.maxUnusable() * keys) {
      throw new IllegalStateException(
          unusable
              + " of "
              + keys
              + " keys are null, too long or have control characters, but at most a share of "
              + job.maxUnusable()
              + " may be: nobody can look them up; mend the query, or raise --max-unusable");
    }
    long elements = set.estimatedElements();
    if (!job.allowOverfull() && elements > job.plan().insertions() * 1.05) {
      throw new IllegalStateException(
          "The table has about "
              + elements
              + " distinct keys, but filter '"
              + job.plan().filter()
              + "' is made for "
              + job.plan().insertions()
              + ": raise --insertions and expected-insertions, or give --allow-overfull");
    }
    return set;
  }

  private static void publish(
      HadoopStorage storage, ImageJob job, ImageSet set, @Nullable ImageSet former)
      throws IOException {
    for (ImageSet.Slice slice : set.slices()) {
      if (!storage.has(slice.file(), slice.bytes())) {
        throw new IllegalStateException(
            "The slice " + slice.file() + " is gone: nothing is changed");
      }
    }
    ImageSet present = former(storage, job.secret());
    if (present != null && present.asOf().isAfter(set.asOf())) {
      throw new IllegalStateException(
          "The set in "
              + job.out()
              + " is as of "
              + present.asOf()
              + ", newer than this one's "
              + set.asOf()
              + ": it stays");
    }
    if (former != null && present == null) {
      log.warn("The former manifest in {} is gone; the new one is written", job.out());
    }
    byte[] manifest = set.manifest(job.secret()).getBytes(UTF_8);
    storage.write(ImageJob.MANIFEST, out -> out.write(manifest));
  }

  /** The set that is in the place now; null for none that this secret reads. */
  private static @Nullable ImageSet former(HadoopStorage storage, HashSecret secret)
      throws IOException {
    try (InputStream in = storage.open(ImageJob.MANIFEST)) {
      return ImageSet.read(new String(in.readAllBytes(), UTF_8), secret);
    } catch (NoSuchFileException e) {
      return null;
    } catch (CorruptFilterException e) {
      log.warn("The manifest in place is replaced: {}", e.getMessage());
      return null;
    }
  }

  /**
   * Deletes what other attempts left, and the folders of sets before the one that was replaced: a
   * process may still read that one.
   */
  private static void clear(
      HadoopStorage storage, String folder, ImageSet set, @Nullable ImageSet former) {
    try {
      Set<String> named =
          set.slices().stream().map(ImageSet.Slice::file).collect(Collectors.toSet());
      for (String file : storage.list(folder)) {
        if (!named.contains(file)) {
          storage.delete(file);
        }
      }
      if (former == null) {
        return;
      }
      String file = former.slices().get(0).file();
      String kept = file.substring(0, Math.max(0, file.indexOf('/')));
      for (String other : storage.folders()) {
        if (other.matches("\\Q" + set.plan().filter() + "\\E-\\d{8}T\\d{9}-[0-9a-f]{8}")
            && other.compareTo(kept) < 0) {
          storage.delete(other);
        }
      }
    } catch (IOException e) {
      log.warn("Older slices could not be deleted: {}", e.toString());
    }
  }

  /**
   * What a task of the second stage has made.
   *
   * @param number the number of its slice
   * @param slice the slice; null for the task that only counts
   */
  private record Part(int number, ImageSet.@Nullable Slice slice, long keys, long unusable)
      implements Serializable {}

  /** One task a slice, and one for the counts. */
  private static final class Slices extends Partitioner {

    private static final long serialVersionUID = 1;

    private final int count;

    Slices(int count) {
      this.count = count;
    }

    @Override
    public int numPartitions() {
      return count;
    }

    @Override
    public int getPartition(Object key) {
      return (Integer) key;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Slices that && that.count == count;
    }

    @Override
    public int hashCode() {
      return count;
    }
  }

  /** What executors do. The secret travels with the tasks, and is no property of Spark. */
  private static final class Work implements Serializable {

    private static final long serialVersionUID = 1;

    private final ImagePlan plan;
    private final String secret;
    private final int maxKeyLength;
    private final TableKeys column;
    private final String out;
    private final String folder;
    private final SerializableConfiguration settings;

    Work(ImageJob job, TableKeys column, String folder, SerializableConfiguration settings) {
      this.plan = job.plan();
      this.secret = job.secret().toHex();
      this.maxKeyLength = job.maxKeyLength();
      this.column = column;
      this.out = job.out();
      this.folder = folder;
      this.settings = settings;
    }

    Iterator<Tuple2<Integer, byte[]>> packed(Iterator<InternalRow> rows) {
      KeyHasher hasher = plan.hasher(HashSecret.parse(secret));
      KeyRules rules = new KeyRules(maxKeyLength, hasher.folding());
      return new PackedHashes(rows, column, rules, hasher, plan);
    }

    Iterator<Part> written(Integer number, Iterator<Tuple2<Integer, byte[]>> batches)
        throws IOException {
      if (number == plan.slices()) {
        return List.of(counted(number, batches)).iterator();
      }
      ImageWriter writer = new ImageWriter(plan, number);
      while (batches.hasNext()) {
        writer.addPacked(batches.next()._2());
      }
      String file = folder + "/" + number + "-" + TaskContext.get().taskAttemptId() + ".bits";
      HadoopStorage storage = new HadoopStorage(out, settings.value());
      return List.of(new Part(number, writer.write(file, storage), 0, 0)).iterator();
    }

    private static Part counted(int number, Iterator<Tuple2<Integer, byte[]>> batches) {
      long keys = 0;
      long unusable = 0;
      while (batches.hasNext()) {
        ByteBuffer counts = ByteBuffer.wrap(batches.next()._2());
        keys += counts.getLong();
        unusable += counts.getLong();
      }
      return new Part(number, null, keys, unusable);
    }
  }
}
