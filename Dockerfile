# The server as an image:
#
#   mvn package -DskipTests -Dinvoker.skip
#   docker build -t bloomguard .
#   docker run --read-only --tmpfs /tmp -p 8080:8080 -e SPRING_SECURITY_USER_PASSWORD=… bloomguard
#
# BASE is any image with a Java runtime of 17 or newer on its PATH, and a shell.
ARG BASE=docker.io/library/eclipse-temurin:25-jre

# The jar taken apart, so that files that change often are in separate layers.
FROM ${BASE} AS layers
ARG JAR=src/server/target/bloomguard-server.jar
WORKDIR /build
COPY ${JAR} bloomguard.jar
RUN java -Djarmode=tools -jar bloomguard.jar extract --layers --destination layers

FROM ${BASE} AS server
WORKDIR /app
COPY --from=layers /build/layers/dependencies/ ./
COPY --from=layers /build/layers/spring-boot-loader/ ./
COPY --from=layers /build/layers/snapshot-dependencies/ ./
COPY --from=layers /build/layers/application/ ./

# One start with the demo catalogue, which needs neither Redis nor a database, leaves an AOT cache from Java 25 on, a CDS archive
# before. It fits exactly these files under these paths.
FROM server AS trained
COPY src/server/src/main/docker/train.sh /
RUN sh /train.sh /app/bloomguard.jar /trained

FROM server
ARG VERSION=0.9.0
ARG REVISION=unknown
# A label cannot be left out, and this one must be a time: the first possible time stands for unknown.
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="Bloomguard" \
      org.opencontainers.image.description="Keeps requests for keys that do not exist away from a cache and a database." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
COPY --from=trained /trained/ /trained/
# Without it the server lets every caller in; -e SPRING_PROFILES_ACTIVE= takes it away.
ENV SPRING_PROFILES_ACTIVE=secured
USER 10001:10001
EXPOSE 8080
ENTRYPOINT ["java", "@/trained/java.options", "-jar", "/app/bloomguard.jar"]
