package io.bloomguard.spark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.util.Progressable;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;

/**
 * A store of objects, as far as a job sees one: an object is put as a whole when it is closed. The
 * first attempt of a task puts one that is cut short, and fails then.
 */
public final class LateStore extends RawLocalFileSystem {

  /** What tasks have put. */
  static final Queue<Put> puts = new ConcurrentLinkedQueue<>();

  record Put(java.nio.file.Path file, int attempt) {}

  private static final URI ADDRESS = URI.create("s3a://lake");

  @Override
  public URI getUri() {
    return ADDRESS;
  }

  @Override
  public FSDataOutputStream create(
      Path file,
      boolean overwrite,
      int buffer,
      short replication,
      long block,
      Progressable progress)
      throws IOException {
    java.nio.file.Path local = java.nio.file.Path.of(file.toUri().getPath());
    return new FSDataOutputStream(
        new ByteArrayOutputStream() {
          @Override
          public void close() throws IOException {
            put(local, toByteArray());
          }
        },
        null);
  }

  private static void put(java.nio.file.Path file, byte[] content) throws IOException {
    TaskContext task = TaskContext.get();
    int length = content.length;
    if (task != null) {
      puts.add(new Put(file, task.attemptNumber()));
      if (task.attemptNumber() == 0) {
        length /= 2;
        task.addTaskCompletionListener(
            (TaskCompletionListener)
                ended -> {
                  throw new IllegalStateException("the result is lost");
                });
      }
    }
    Files.createDirectories(file.getParent());
    Files.write(file, Arrays.copyOf(content, length));
  }
}
