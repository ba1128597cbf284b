import Foundation

/// The four calls for a password that its account names.
extension ProbeProcess {
    static func password(_ account: String) -> [String: Any] { ["class": "genp", "svce": "trouble", "acct": account] }

    func add(_ account: String, _ secret: String) throws -> Int {
        try call("add", Self.password(account).merging(["v_Data": PasswordTests.data(secret)]) { $1 }).status
    }

    func find(_ account: String) throws -> ProbeAnswer {
        try call("find", Self.password(account).merging(["r_Data": true]) { $1 })
    }

    func update(_ account: String, _ secret: String) throws -> Int {
        try call("update", Self.password(account), change: ["v_Data": PasswordTests.data(secret)]).status
    }

    func delete(_ account: String) throws -> Int { try call("delete", Self.password(account)).status }

    /// All passwords of the program: secrets by account.
    func all() throws -> [String: String] {
        let query = ["class": "genp", "r_Data": true, "r_Attributes": true, "m_Limit": "m_LimitAll"] as [String: Any]
        var passwords: [String: String] = [:]
        for item in try call("find", query).array ?? [] {
            guard let account = item["acct"] as? String, let data = ProbeAnswer.data(item["v_Data"]) else { continue }
            passwords[account] = String(decoding: data, as: UTF8.self)
        }
        return passwords
    }
}
