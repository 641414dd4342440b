package io.bloomguard.it.support;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Calls over HTTP, of which none takes longer than one minute. */
public final class Http {

  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private Http() {}

  public static HttpResponse<String> get(URI address) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(address));
  }

  public static HttpResponse<String> post(URI address, String json)
      throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(address)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json)));
  }

  public static HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return CLIENT.send(request.timeout(Duration.ofMinutes(1)).build(), BodyHandlers.ofString());
  }
}
