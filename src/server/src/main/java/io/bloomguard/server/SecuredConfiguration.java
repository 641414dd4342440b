package io.bloomguard.server;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.SecurityProperties;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.oauth2.server.resource.autoconfigure.OAuth2ResourceServerAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletPath;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.AuthorizeHttpRequestsConfigurer;
import org.springframework.security.config.annotation.web.configurers.LogoutConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;

/**
 * The access rules under the profile {@code secured}: signs of life, meters, the description of the
 * membership API and the demo catalogue are open, other reads are for callers that have logged in,
 * and changes for operators. They hold for a separate management port as well.
 *
 * <p>Logging in is HTTP Basic for the user of {@code spring.security.user}, or a bearer token where
 * {@code spring.security.oauth2.resourceserver.jwt} says how to read one. There are no sessions.
 */
@Configuration(proxyBeanMethods = false)
@Profile(SecuredConfiguration.PROFILE)
@EnableWebSecurity
@Import({
  SecurityAutoConfiguration.class,
  OAuth2ResourceServerAutoConfiguration.class,
  SecurityFilterAutoConfiguration.class
})
class SecuredConfiguration {

  static final String PROFILE = "secured";

  /** May do everything. */
  private static final String OPERATOR = "OPERATOR";

  /** May add keys, and report those that were wrongly denied. */
  private static final String WRITER = "WRITER";

  /**
   * May remove keys from filters that can: removing what was never added makes other keys absent,
   * which adding never does.
   */
  private static final String REMOVER = "REMOVER";

  /** A proxy: may ask whether a request is to be let through, and read what every login may. */
  private static final String GATEWAY = "GATEWAY";

  private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

  @Bean
  SecurityFilterChain securityFilterChain(
      HttpSecurity http, SecurityProperties properties, ObjectProvider<JwtDecoder> tokens)
      throws Exception {
    boolean bearer = tokens.getIfAvailable() != null;
    SecurityProblems problems = bearer ? SecurityProblems.bearer() : SecurityProblems.basic();
    http.authorizeHttpRequests(SecuredConfiguration::rules)
        .sessionManagement(
            sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .csrf(
            csrf -> csrf.spa().requireCsrfProtectionMatcher(SecuredConfiguration::isWriteOfBrowser))
        .logout(LogoutConfigurer::disable)
        .exceptionHandling(
            refused -> refused.authenticationEntryPoint(problems).accessDeniedHandler(problems));
    if (bearer) {
      http.oauth2ResourceServer(
          server ->
              server
                  .jwt(Customizer.withDefaults())
                  .authenticationEntryPoint(problems)
                  .accessDeniedHandler(problems));
    } else {
      http.authenticationProvider(OperatorLogin.provider(properties.getUser()))
          .httpBasic(basic -> basic.authenticationEntryPoint(problems));
    }
    return http.build();
  }

  /** The paths below are those of the dispatcher servlet. */
  @Bean
  PathPatternRequestMatcher.Builder pathsOfTheServlet(DispatcherServletPath servlet) {
    PathPatternRequestMatcher.Builder paths = PathPatternRequestMatcher.withDefaults();
    String prefix = servlet.getPrefix();
    return prefix.isEmpty() ? paths : paths.basePath(prefix);
  }

  private static void rules(
      AuthorizeHttpRequestsConfigurer<HttpSecurity>.AuthorizationManagerRequestMatcherRegistry
          rules) {
    rules
        // The call that failed was allowed, or the error says that it was not.
        .dispatcherTypeMatchers(DispatcherType.ERROR)
        .permitAll()
        .requestMatchers(
            EndpointRequest.to("health", "info", "prometheus"),
            EndpointRequest.toAdditionalPaths(WebServerNamespace.SERVER, "health"))
        .permitAll()
        .requestMatchers("/api/products/**")
        .permitAll()
        .requestMatchers(HttpMethod.GET, ApiDocumentController.PATH)
        .permitAll()
        .requestMatchers(AuthoriseRequest.PATH)
        .hasAnyRole(OPERATOR, GATEWAY)
        .requestMatchers("/bloomguard/**")
        .hasRole(OPERATOR)
        // A management port has a dispatcher servlet of its own, at the root.
        .requestMatchers(PathPatternRequestMatcher.pathPattern("/bloomguard/**"))
        .hasRole(OPERATOR)
        .requestMatchers(HttpMethod.POST, "/v1/filters/*/check", "/v1/filters/*/*/check")
        .authenticated()
        .requestMatchers(
            HttpMethod.POST, "/v1/filters/*/keys", "/v1/filters/*/*/keys", "/v1/filters/*/found")
        .hasAnyRole(OPERATOR, WRITER)
        .requestMatchers(HttpMethod.DELETE, "/v1/filters/*/keys")
        .hasAnyRole(OPERATOR, REMOVER)
        .requestMatchers(SecuredConfiguration::isRead)
        .authenticated()
        .anyRequest()
        .hasRole(OPERATOR);
  }

  private static boolean isRead(HttpServletRequest request) {
    return READS.contains(request.getMethod());
  }

  /**
   * A browser adds Basic credentials to whatever a page of another site has it send, so what it
   * sends must bring a token that only our pages can read. A browser says of every write where it
   * comes from; other clients do not, and need no token.
   */
  private static boolean isWriteOfBrowser(HttpServletRequest request) {
    return !isRead(request)
        && AuthoriseRequest.asked(request) == null
        && (request.getHeader(HttpHeaders.ORIGIN) != null
            || request.getHeader(HttpHeaders.REFERER) != null
            || request.getHeader("Sec-Fetch-Site") != null);
  }
}
