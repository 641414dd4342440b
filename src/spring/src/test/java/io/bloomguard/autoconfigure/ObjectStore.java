package io.bloomguard.autoconfigure;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.bloomguard.image.ImageStorage;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A store of objects over HTTP, as S3 is one: an object is put, got and deleted as a whole, there
 * is no rename, and a folder is a prefix of names.
 */
final class ObjectStore implements ImageStorage, AutoCloseable {

  private final Map<String, byte[]> objects = new ConcurrentSkipListMap<>();
  private final HttpServer server;
  private volatile String lost = "";

  /** An empty store on a port of this machine. */
  ObjectStore() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String name = exchange.getRequestURI().getPath().substring(1);
      byte[] body = exchange.getRequestBody().readAllBytes();
      byte @Nullable [] found = new byte[0];
      switch (exchange.getRequestMethod()) {
        case "PUT" -> put(name, body);
        case "DELETE" -> objects.remove(name);
        default -> found = name.isEmpty() ? listed(exchange.getRequestURI()) : objects.get(name);
      }
      exchange.sendResponseHeaders(found == null ? 404 : 200, found == null ? -1 : 0);
      if (found != null) {
        exchange.getResponseBody().write(found);
      }
    }
  }

  private void put(String name, byte[] body) {
    if (lost.isEmpty() || !name.endsWith(lost)) {
      objects.put(name, body);
    }
  }

  /** Has no object from now on whose name ends so. */
  void loses(String end) {
    lost = end;
  }

  private byte[] listed(URI query) {
    String prefix = query.getQuery().substring("prefix=".length());
    return objects.keySet().stream()
        .filter(name -> name.startsWith(prefix))
        .collect(Collectors.joining("\n"))
        .getBytes(StandardCharsets.UTF_8);
  }

  /** The address of an object. */
  String url(String name) {
    InetSocketAddress address = server.getAddress();
    return "http://" + address.getHostString() + ":" + address.getPort() + "/" + name;
  }

  private HttpURLConnection send(String method, String name) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(url(name)).toURL().openConnection();
    connection.setRequestMethod(method);
    return connection;
  }

  @Override
  public InputStream open(String name) throws IOException {
    try {
      return send("GET", name).getInputStream();
    } catch (FileNotFoundException e) {
      throw new NoSuchFileException(name);
    }
  }

  /** Nothing is sent until all of the content is there. */
  @Override
  public void write(String name, Content content) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    content.writeTo(all);
    HttpURLConnection put = send("PUT", name);
    put.setDoOutput(true);
    put.getOutputStream().write(all.toByteArray());
    put.getInputStream().close();
  }

  @Override
  public List<String> list(String folder) throws IOException {
    try (InputStream names = open("?prefix=" + folder + "/")) {
      return new String(names.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  @Override
  public void delete(String name) throws IOException {
    send("DELETE", name).getInputStream().close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
