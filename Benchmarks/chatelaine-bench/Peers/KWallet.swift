/// KWallet through its own interface, with the calls that KWallet::Wallet makes.
struct KWallet: Peer {
    static let name = "KWallet"

    private static let interface = "org.kde.KWallet"
    private static let wallet = "benchmark"
    private static let folder = "Passwords"
    private static let application = "chatelaine-bench"
    /// The length of the key that pam_kwallet derives from a password and passes to KWallet.
    private static let keyLength = 56

    private let bus: Bus
    private let service: String
    private let path: String
    private let handle: Int32

    /// - Parameter program: `kwalletd5` or `kwalletd6`.
    init(_ bus: Bus, program: String) throws {
        self.bus = bus
        service = "org.kde.\(program)"
        path = "/modules/\(program)"
        try bus.awaitOwner(of: service)
        // Unlocks as at a login, so that there is no prompt.
        let unlock = try bus.message(service, path, Self.interface, "pamOpen")
        unlock.append { place in
            place.string(Self.wallet)
            place.bytes([UInt8](repeating: 7, count: Self.keyLength))
            place.integer(0)
        }
        _ = try bus.call(unlock)
        let open = try bus.message(service, path, Self.interface, "open")
        open.append { place in
            place.string(Self.wallet)
            place.long(0)
            place.string(Self.application)
        }
        handle = try bus.call(open).read { $0.integer() }
        try BenchError.check(handle >= 0, "KWallet opens no wallet")
        let create = try bus.message(service, path, Self.interface, "createFolder")
        create.append { [handle] place in
            place.integer(handle)
            place.string(Self.folder)
            place.string(Self.application)
        }
        _ = try bus.call(create)
    }

    /// Writes a value, and calls `sync`: until then the value is only in memory.
    func store(_ account: String) throws {
        try write(account)
        let sync = try bus.message(service, path, Self.interface, "sync")
        sync.append { place in
            place.integer(handle)
            place.string(Self.application)
        }
        _ = try bus.call(sync)
    }

    private func write(_ account: String) throws {
        let call = try bus.message(service, path, Self.interface, "writePassword")
        call.append { place in
            place.integer(handle)
            place.string(Self.folder)
            place.string(account)
            place.string(String(decoding: Comparison.secret, as: UTF8.self))
            place.string(Self.application)
        }
        let status = try bus.call(call).read { $0.integer() }
        try BenchError.check(status == 0, "KWallet does not store: \(status)")
    }

    func find(_ account: String) throws -> Int {
        let call = try bus.message(service, path, Self.interface, "readPassword")
        call.append { place in
            place.integer(handle)
            place.string(Self.folder)
            place.string(account)
            place.string(Self.application)
        }
        return try bus.call(call).read { $0.string().utf8.count }
    }

    func findAll() throws -> Int {
        let call = try bus.message(service, path, Self.interface, "passwordList")
        call.append { place in
            place.integer(handle)
            place.string(Self.folder)
            place.string(Self.application)
        }
        return try bus.call(call).read { place in
            var count = 0
            place.each { entries in
                entries.skip()
                count += 1
            }
            return count
        }
    }
}
