package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.ChangesProperties;
import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.autoconfigure.internal.properties.SourceProperties;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.generation.FeedBackend;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.source.ChangesSince;
import io.bloomguard.generation.internal.source.ImageSource;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.image.ImageSet;
import io.bloomguard.image.ImageStorage;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.io.UrlResource;

/**
 * Sources that are image sets, in files, in resources of any kind that Spring loads, or in a bean.
 */
record ImageSets(
    BloomguardProperties properties, ListableBeanFactory beans, ResourceLoader resources) {

  private static final Logger log = LoggerFactory.getLogger(ImageSets.class);

  /** The time for which a log may be out of reach before the build that reads it fails. */
  private static final Duration REACH = Duration.ofSeconds(10);

  /** The time for which a feed may tell nothing before the build that reads it fails. */
  private static final Duration SILENCE = Duration.ofMinutes(1);

  private static final int CONNECT_MILLIS = 10_000;
  private static final int READ_MILLIS = 20_000;

  KeySource source(String filter) {
    FilterProperties of = properties.filter(filter);
    SourceProperties.Images images = Objects.requireNonNull(of.source().images());
    KeySource rows =
        of.source().jdbc() == null ? null : new JdbcSources(properties, beans).source(filter);
    if (rows == null && of.source().changes() == null) {
      log.info(
          "Filter '{}': the adds since an image set are kept for {}, with room for {} a second"
              + " (rebuild.journal-max), beyond which adds fail",
          filter,
          of.rebuild().journalRetention(),
          of.rebuild().addsPerSecond(of.rebuild().journalRetention()));
    }
    return new ImageSource(
        new ImageSource.Settings(
            filter,
            shape(filter, of),
            of.hashOrDefault(),
            secret(filter),
            properties.folding(of),
            images.manifest(),
            images.poll(),
            images.maxAge(),
            of.rebuild().journalRetention()),
        files(images.manifest()),
        rows,
        changes(filter, of.source().changes()),
        InstantSource.system());
  }

  private @Nullable ChangesSince changes(String filter, @Nullable ChangesProperties changes) {
    return changes == null
        ? null
        : new ChangesSince(
            () ->
                beans.getBeanProvider(FeedBackend.class).stream()
                    .filter(each -> each.name().equals(changes.from()))
                    .findFirst()
                    .map(each -> each.feedBeside(filter))
                    .orElse(null),
            REACH,
            SILENCE);
  }

  private FilterShape shape(String filter, FilterProperties of) {
    String backend = properties.backendOf(of);
    FilterShape sized = of.sized(filter, backend);
    return backend.equals(Backend.LOCAL)
        ? LocalBackend.onHeap(filter, sized)
        : ApplicationRedis.sized(sized);
  }

  private HashSecret secret(String filter) {
    HashSecret secret = properties.secret();
    if (secret == null) {
      throw new StartRefusedException(
          "bloomguard.hash-secret is not set, but the image sets of filter '"
              + filter
              + "' are made elsewhere, under a secret that is known there",
          "Set bloomguard.hash-secret to the secret of the job that makes them.");
    }
    return secret;
  }

  /** The manifest, by its whole name, and the slices, whose names are relative to its folder. */
  private ImageSet.Files files(String manifest) {
    int colon = manifest.indexOf(':');
    String folder = manifest.substring(0, Math.max(manifest.lastIndexOf('/'), colon) + 1);
    ImageSet.Files located = located(manifest.substring(0, Math.max(colon, 0)));
    return name -> located.open(name.equals(manifest) ? manifest : folder + name);
  }

  /**
   * Files by their locations, which begin with a bean's name or another scheme, and a colon.
   *
   * @param scheme empty for paths
   */
  private ImageSet.Files located(String scheme) {
    if (beans.containsBean(scheme) && beans.isTypeMatch(scheme, ImageStorage.class)) {
      return location ->
          beans.getBean(scheme, ImageStorage.class).open(location.substring(scheme.length() + 1));
    }
    return location -> {
      Resource resource =
          scheme.isEmpty() ? new FileSystemResource(location) : resources.getResource(location);
      try {
        return resource instanceof UrlResource url
            ? new Timed(url.getURL()).getInputStream()
            : resource.getInputStream();
      } catch (FileNotFoundException e) {
        throw new NoSuchFileException(location);
      }
    };
  }

  /** A resource whose server may not be silent for ever. */
  private static final class Timed extends UrlResource {

    Timed(URL url) {
      super(url);
    }

    @Override
    protected void customizeConnection(URLConnection connection) throws IOException {
      super.customizeConnection(connection);
      connection.setConnectTimeout(CONNECT_MILLIS);
      connection.setReadTimeout(READ_MILLIS);
    }
  }
}
