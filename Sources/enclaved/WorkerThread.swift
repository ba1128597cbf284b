import Glibc

/// A detached thread that runs one closure.
enum WorkerThread {
    /// Decoding, sealing and file writing need a fraction of it; 16 threads of the default size would look like a leak.
    private static let stackBytes = 512 * 1024

    private final class Start {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// False where the system has no room for one more; the closure is not called then.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackBytes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let start = Unmanaged.passRetained(Start(body))
        var thread = pthread_t()
        // SAFETY: the thread takes over the one reference that was retained for it.
        let result = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        if result != 0 { start.release() }
        return result == 0
    }
}
