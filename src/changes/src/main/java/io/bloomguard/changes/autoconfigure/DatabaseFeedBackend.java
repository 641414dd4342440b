package io.bloomguard.changes.autoconfigure;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.ChangesProperties;
import io.bloomguard.autoconfigure.internal.properties.SourceProperties;
import io.bloomguard.changes.internal.database.DatabaseAddress;
import io.bloomguard.changes.internal.database.DatabaseAddress.Product;
import io.bloomguard.changes.internal.database.DatabaseFeed;
import io.bloomguard.changes.internal.database.FollowedTable;
import io.bloomguard.changes.internal.database.UnreadyDatabaseException;
import io.bloomguard.changes.internal.record.ChangeRecords;
import io.bloomguard.generation.ChangeFeed;
import io.bloomguard.generation.FeedBackend;
import io.bloomguard.guard.StartRefusedException;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Objects;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Feeds from the log of the database that the application's data source leads to. */
final class DatabaseFeedBackend implements FeedBackend {

  private static final String ENGINE = "io.debezium.embedded.async.AsyncEmbeddedEngine";

  /** What follows the name of the filter's slot in that of its image sets. */
  private static final String BESIDE = "_images";

  /** The longest name that PostgreSQL has. */
  private static final int LONGEST = 63;

  private static final Logger log = LoggerFactory.getLogger(DatabaseFeedBackend.class);

  private final BloomguardProperties properties;
  private final ListableBeanFactory beans;

  DatabaseFeedBackend(BloomguardProperties properties, ListableBeanFactory beans) {
    this.properties = properties;
    this.beans = beans;
  }

  @Override
  public String name() {
    return ChangesProperties.DATABASE;
  }

  @Override
  public ChangeFeed feed(String filter, boolean shared) {
    SourceProperties source = properties.filter(filter).source();
    DatabaseFeed feed = feed(filter, source, "", shared);
    feed.know(FeedAddresses.transactions(source, beans));
    check(filter, feed);
    if (!shared) {
      log.info(
          "Filter '{}': each process reads the log of its database by itself, in PostgreSQL by a"
              + " source.changes.slot of its own; several processes are better served by backend:"
              + " redis, or from: kafka",
          filter);
    }
    return feed;
  }

  /** PostgreSQL keeps its log by a slot of its own, which begins where the last one ended. */
  @Override
  public ChangeFeed feedBeside(String filter) {
    return feed(filter, properties.filter(filter).source(), BESIDE, false);
  }

  private DatabaseFeed feed(String filter, SourceProperties source, String suffix, boolean shared) {
    ChangesProperties changes = Objects.requireNonNull(source.changes());
    DatabaseAddress address = FeedAddresses.of(filter, source, beans);
    requireEngine(filter, address.product());
    String name = nameOf(properties.redis().keyPrefix(), filter);
    String slot = changes.slot().isBlank() ? name : changes.slot();
    String publication = changes.publication().isBlank() ? name : changes.publication();
    boolean beside = source.images() != null && address.product() == Product.POSTGRESQL;
    requireShort(filter, beside ? slot + BESIDE : slot);
    requireShort(filter, publication);
    FollowedTable table =
        new FollowedTable(
            filter, changes.table(), changes.key(), slot + suffix, publication, shared);
    return new DatabaseFeed(
        table, address, new ChangeRecords(ChangeRecords.Format.DEBEZIUM, changes.key(), ""));
  }

  private static void requireEngine(String filter, Product product) {
    ClassLoader loader = DatabaseFeedBackend.class.getClassLoader();
    if (!ClassUtils.isPresent(ENGINE, loader)
        || !ClassUtils.isPresent(product.connector(), loader)) {
      throw new StartRefusedException(
          "Filter '"
              + filter
              + "' has source.changes.from: database, which needs Debezium's engine and its"
              + " connector; this application lacks one of them",
          "Add io.debezium:debezium-embedded without org.apache.kafka:connect-file, and"
              + " io.debezium:"
              + product.artifact()
              + ".");
    }
  }

  /** Refuses a name before PostgreSQL would, which is as late as a set is published. */
  private static void requireShort(String filter, String name) {
    if (name.length() > LONGEST) {
      throw new StartRefusedException(
          "The name '" + name + "' of a slot is longer than " + LONGEST + " characters",
          "Set bloomguard.filters."
              + filter
              + ".source.changes.slot and .publication to shorter names.");
    }
  }

  /**
   * The name of slot and publication, of the characters that a slot may have. A digest tells
   * prefixes apart that have others.
   */
  static String nameOf(String prefix, String filter) {
    String name = (prefix + "_" + filter).replace('-', '_');
    if (prefix.matches("[a-z0-9]*")) {
      return name;
    }
    CRC32 digest = new CRC32();
    digest.update(prefix.getBytes(UTF_8));
    return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_")
        + "_"
        + Long.toHexString(digest.getValue());
  }

  private static void check(String filter, DatabaseFeed feed) {
    try {
      feed.check();
    } catch (UnreadyDatabaseException e) {
      throw new StartRefusedException(
          "Filter '" + filter + "' has source.changes.from: database. " + e.problem(),
          e.remedy() + ".",
          e);
    } catch (SQLException e) {
      log.warn(
          "Filter '{}': its database could not be asked what its feed needs: {}",
          filter,
          e.getMessage());
    }
  }
}
