/// gnome-keyring through the interface of the Secret Service, with the calls that libsecret makes.
struct SecretService: Peer {
    static let name = "gnome-keyring"

    private static let service = "org.freedesktop.secrets"
    private static let path = "/org/freedesktop/secrets"
    private static let attribute = ("service", Workload.listedService)

    private let bus: Bus
    private let session: String

    init(_ bus: Bus) throws {
        self.bus = bus
        try bus.awaitOwner(of: Self.service)
        let call = try bus.message(Self.service, Self.path, "org.freedesktop.Secret.Service", "OpenSession")
        call.append { place in
            place.string("plain")
            place.container("v", "s") { $0.string("") }
        }
        session = try bus.call(call).read { place in
            place.skip()
            return place.string()
        }
    }

    func store(_ account: String) throws {
        let call = try bus.message(
            Self.service, Self.path + "/aliases/default", "org.freedesktop.Secret.Collection", "CreateItem")
        call.append { place in
            place.container("a", "{sv}") { properties in
                properties.container("e") { entry in
                    entry.string("org.freedesktop.Secret.Item.Label")
                    entry.container("v", "s") { $0.string("An account of the benchmark") }
                }
                properties.container("e") { entry in
                    entry.string("org.freedesktop.Secret.Item.Attributes")
                    entry.container("v", "a{ss}") { $0.dictionary([Self.attribute, ("account", account)]) }
                }
            }
            place.container("r") { secret in
                secret.string(session, type: "o")
                secret.bytes([])
                secret.bytes(Comparison.secret)
                secret.string("text/plain")
            }
            place.boolean(false)
        }
        let item = try bus.call(call).read { $0.string() }
        try BenchError.check(item != "/", "gnome-keyring wants to ask somebody")
    }

    func find(_ account: String) throws -> Int {
        let secrets = try secrets(of: try search([Self.attribute, ("account", account)]))
        return secrets.first ?? 0
    }

    func findAll() throws -> Int { try secrets(of: try search([Self.attribute])).count }

    private func search(_ attributes: [(String, String)]) throws -> [String] {
        let call = try bus.message(Self.service, Self.path, "org.freedesktop.Secret.Service", "SearchItems")
        call.append { $0.dictionary(attributes) }
        return try bus.call(call).read { place in
            var items: [String] = []
            place.each { items.append($0.string()) }
            return items
        }
    }

    /// Reads the secrets of items and returns their lengths.
    private func secrets(of items: [String]) throws -> [Int] {
        let call = try bus.message(Self.service, Self.path, "org.freedesktop.Secret.Service", "GetSecrets")
        call.append { place in
            place.container("a", "o") { array in for item in items { array.string(item, type: "o") } }
            place.string(session, type: "o")
        }
        return try bus.call(call).read { place in
            var lengths: [Int] = []
            place.each { entries in
                entries.inner { entry in
                    entry.skip()
                    entry.inner { secret in
                        secret.skip()
                        secret.skip()
                        lengths.append(secret.byteCount())
                    }
                }
            }
            return lengths
        }
    }
}
