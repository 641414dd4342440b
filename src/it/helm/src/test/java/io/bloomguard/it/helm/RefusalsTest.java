package io.bloomguard.it.helm;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that are refused: the message names the value and the rule. */
class RefusalsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          filters: {Order_Items: {}}                                       | filters.Order_Items is no name of a filter: use lower-case words joined by dashes
          replicaCount: 2                                                  | replicaCount is 2, but must be 1 while a filter is local to each pod (products)
          {replicaCount: 2, filters: {a: {}, b: {}}}                       | replicaCount is 2, but must be 1 while a filter is local to each pod (a, b)
          {replicaCount: 2, backend: redis, redis: {host: r}, filters: {a: {backend: local}, b: {}}} | replicaCount is 2, but must be 1 while a filter is local to each pod (a)
          autoscaling: {enabled: true}                                     | autoscaling.maxReplicas is 6, but must be 1 while
          {backend: redis, redis: {host: r}, autoscaling: {enabled: true, minReplicas: 3, maxReplicas: 2}} | autoscaling.maxReplicas is 2, but must be at least autoscaling.minReplicas, which is 3
          backend: redis                                                   | one of redis.host, redis.sentinel.nodes and redis.cluster.nodes must be set where backend, or a filter's, is redis; set are: none
          filters: {a: {backend: redis}}                                   | must be set where backend, or a filter's, is redis; set are: none
          {backend: redis, redis: {host: r, cluster: {nodes: ["r:1"]}}}    | set are: redis.host, redis.cluster.nodes
          {backend: redis, redis: {sentinel: {nodes: ["r:1"]}}}            | redis.sentinel.master is empty, but must name the master
          redis: {host: r}                                                 | redis.host is set, but no filter uses Redis
          auth: {enabled: false, existingSecret: s}                        | auth.existingSecret is set, but auth.enabled is false
          database: {existingSecret: s}                                    | database.url is empty, but must be a JDBC URL where database.existingSecret is set
          filters: {a: {source: {jdbc: {query: q}}}}                       | database.url is empty, but must be a JDBC URL where filters.a.source.jdbc is set
          config: {bloomguard: {backend: redis}}                           | config.bloomguard.backend is set, but belongs into the value backend
          config: {bloomguard: {filters: {a: {}}}}                         | config.bloomguard.filters is set, but belongs into the value filters
          config: {bloomguard: {gateway: {rules: []}}}                     | config.bloomguard.gateway is set, but belongs into the value gateway
          config: {bloomguard: {hash-secret: x}}                           | config.bloomguard.hash-secret is set, but belongs into the value hashSecret.existingSecret
          config: {bloomguard: {hashSecret: x}}                            | config.bloomguard.hashSecret is set, but belongs into the value hashSecret.existingSecret
          config: {"bloomguard.filters.a.backend": redis}                  | config.bloomguard.filters.a.backend is set, but belongs into the value filters
          config: {bloomguard: {"[hash_secret]": x}}                       | config.bloomguard.[hash_secret] is set, but belongs into the value hashSecret.existingSecret
          config: {management: {server: {port: 1}}}                        | config.management.server.port is set, but belongs into the value management.port
          config: {"MANAGEMENT.server": {port: 1}}                         | config.MANAGEMENT.server.port is set, but belongs into the value management.port
          config: {server: {port: 1}}                                      | config.server.port is set, but the container always listens on 8080
          ingress: {enabled: true}                                         | ingress.hosts is empty, but must name a host
          """)
  void valuesThatDoNotGoTogether(String values, String message) {
    assertThatThrownBy(() -> Chart.render(values)).hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          config: {spring: {data: {redis: {password: hunter2}}}}           | config.spring.data.redis.password is set | name a Secret in redis.existingSecret
          config: {spring: {datasource: {password: hunter2}}}              | config.spring.datasource.password is set | name a Secret in database.existingSecret
          config: {spring: {datasource: {hikari: {password: hunter2}}}}    | config.spring.datasource.hikari.password is set | name a Secret in database.existingSecret
          config: {"spring.datasource.password": hunter2}                  | config.spring.datasource.password is set | name a Secret in database.existingSecret
          config: {SPRING_DATASOURCE_PASSWORD: hunter2}                    | config.SPRING_DATASOURCE_PASSWORD is set | extraEnv
          config: {spring: {data: {redis: {sentinel: {password: hunter2}}}}} | config.spring.data.redis.sentinel.password is set | extraEnv, with a secretKeyRef
          config: {spring: {security: {user: {password: 7463912}}}}        | config.spring.security.user.password is set | name a Secret in auth.existingSecret
          config: {spring: {security: {user: {password: "${P:hunter2}"}}}} | config.spring.security.user.password is set | name a Secret in auth.existingSecret
          config: {server: {ssl: {key-store-password: hunter2}}}           | config.server.ssl.key-store-password is set | extraEnv, with a secretKeyRef
          config: {bloomguard: {other-hash-secrets: [hunter2]}}            | config.bloomguard.other-hash-secrets[0] is set | BLOOMGUARD_OTHERHASHSECRETS
          config: {bloomguard: {otherHashSecrets: "hunter2,hunter2"}}      | config.bloomguard.otherHashSecrets is set | BLOOMGUARD_OTHERHASHSECRETS
          config: {"bloomguard.other_hash_secrets": {0: hunter2}}          | config.bloomguard.other_hash_secrets.0 is set | BLOOMGUARD_OTHERHASHSECRETS
          config: {spring: {data: {redis: {url: "redis://:hunter2@r"}}}}   | config.spring.data.redis.url has a secret in it | redis.existingSecret
          config: {spring: {data: {redis: {url: "rediss://hunter2@r"}}}}   | config.spring.data.redis.url has a secret in it | redis.existingSecret
          config: {proxies: ["http://a", "http://u:hunter2@b"]}            | config.proxies[1] has a secret in it | extraEnv, with a secretKeyRef
          config: {tls: {pem: "-----BEGIN PRIVATE KEY-----hunter2"}}    | config.tls.pem has a secret in it | extraEnv, with a secretKeyRef
          database: {url: "jdbc:postgresql://u:hunter2@db/shop"}           | database.url has a secret in it | name a Secret in database.existingSecret
          database: {url: "jdbc:postgresql://db/shop?user=u&password=hunter2"} | database.url has a secret in it | name a Secret in database.existingSecret
          """)
  void secretsThatWouldBecomePartOfAConfigMap(String values, String message, String way) {
    assertThatThrownBy(() -> Chart.render(values))
        .hasMessageContaining(message)
        .hasMessageContaining(way)
        .message()
        .doesNotContain("hunter2", "7463912");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spring: {datasource: {password: '${SHOP_PASSWORD}'}}",
        "spring: {data: {redis: {url: 'redis://:${REDIS_PASSWORD}@r', password: ''}}}",
        "spring: {ssl: {bundle: {pem: {ca: {keystore: {private-key: 'file:/tls/tls.key'}}}}}}",
        "spring: {ssl: {bundle: {pem: {ca: {truststore: {certificate: 'file:/tls/ca.crt'}}}}}}",
        "management: {otlp: {url: 'http://user@collector:4318/v1/metrics?token=no'}}",
        "logging: {level: {org.example.passwords.Encoder: debug}}",
        "bloomguard: {keys: {max-length: 64}}",
      })
  void whatOnlyLooksLikeASecretIsTaken(String config) {
    assertThatCode(() -> Chart.render("config: {" + config + "}")).doesNotThrowAnyException();
  }

  /** A Service has such a name. */
  @ParameterizedTest
  @ValueSource(strings = {"shop.guard", "1shop", "shop-", "Shop"})
  void namesThatNoServiceMayHave(String name) {
    assertThatThrownBy(() -> Chart.render("fullnameOverride: " + name))
        .hasMessageContaining("'/fullnameOverride'")
        .hasMessageContaining("does not match pattern");
    assertThatThrownBy(() -> Chart.render("nameOverride: " + name))
        .hasMessageContaining("'/nameOverride'")
        .hasMessageContaining("does not match pattern");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2shops", "shop.guard"})
  void namesOfReleasesThatNoServiceMayHave(String release) {
    assertThatThrownBy(() -> Chart.renderAs(release, "{}"))
        .hasMessageContaining(release + "-bloomguard, made of the release's name, is no name of a")
        .hasMessageContaining("set fullnameOverride");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          backend: memcached                          | /backend       | 'local', 'redis'
          filters: {a: {backend: disk}}               | /filters/a/backend | 'local', 'redis'
          replicaCount: -1                            | /replicaCount  | minimum: got -1, want 0
          replicaCount: two                           | /replicaCount  | got string, want integer
          replicas: 2                                 | ``             | additional properties 'replicas' not allowed
          redis: {hosts: r}                           | /redis         | additional properties 'hosts' not allowed
          redis: {sentinel: {nodes: [r]}}             | /redis/sentinel/nodes/0 | does not match pattern
          database: {url: "postgresql://db/shop"}     | /database/url  | does not match pattern
          management: {port: 8080}                    | /management/port | 'not' failed
          management: {port: 80}                      | /management/port | minimum: got 80, want 1,024
          monitoring: {scrape: operator}              | /monitoring/scrape | 'none', 'podMonitor', 'serviceMonitor'
          image: {digest: latest}                     | /image/digest  | does not match pattern
          gateway: {rules: [{pattern: /a}]}           | /gateway/rules/0 | missing properties
          service: {extraPorts: [{name: a, port: 1, targetPort: management}]} | /service/extraPorts/0/targetPort | 'not' failed
          runAsUser: 0                                | /runAsUser     | minimum: got 0, want 1
          extraEnv: [{value: x}]                      | /extraEnv/0    | missing property 'name'
          ingress: {hosts: [guard.example]}           | /ingress/hosts/0 | got string, want object
          podLabels: {a: 1}                           | /podLabels/a   | got number, want string
          """)
  void valuesThatTheSchemaDoesNotAllow(String values, String value, String rule) {
    assertThatThrownBy(() -> Chart.render(values))
        .hasMessageContaining("'" + value + "'")
        .hasMessageContaining(rule);
  }
}
