package io.bloomguard.guard;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** Values of tests as serialized objects, which need no library. */
public final class SerializedValues implements ValueCodec {

  @Override
  public @Nullable String refusal(Type declared) {
    return null;
  }

  @Override
  public byte @Nullable [] write(Object value, ValueType<?> type) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream objects = new ObjectOutputStream(bytes)) {
      objects.writeObject(value);
    } catch (IOException e) {
      return null;
    }
    return bytes.toByteArray();
  }

  @Override
  @SuppressWarnings({"unchecked", "BanSerializableRead"}) // what a test wrote itself
  public <V> @Nullable V read(byte[] bytes, ValueType<V> type) {
    try (ObjectInputStream objects = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      Object value = objects.readObject();
      return raw(type.type()).isInstance(value) ? (V) value : null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Class<?> raw(Type type) {
    return (Class<?>) (type instanceof ParameterizedType generic ? generic.getRawType() : type);
  }
}
