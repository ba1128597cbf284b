import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation

/// Calls about the device, for which Apple has no function.
extension Probe {
    /// Makes the call of a command; nil for any other command.
    static func performDevice(_ command: [String: Any]) -> [String: Any]? {
        let passcodes = (command["passcodes"] as? [String] ?? []).map { SecretBytes(Array($0.utf8)) }
        switch command["call"] as? String {
        case "state": return report { () throws(KeychainError) in try KeychainClient.shared.device(.state) }
        case "lock": return report { () throws(KeychainError) in try KeychainClient.shared.device(.lock) }
        case "unlock": return report { () throws(KeychainError) in try KeychainClient.shared.call(.unlock, passcodes) }
        case "keychain-state", "keychain-lock", "keychain-unlock", "keychain-create":
            return keychain(command["call"] as? String ?? "", command["path"] as? String ?? "", passcodes)
        default: return nil
        }
    }

    /// Makes a call about a file keychain, and returns its status bits or the outcome of its password.
    private static func keychain(_ call: String, _ name: String, _ passwords: [SecretBytes]) -> [String: Any] {
        let client = KeychainClient.shared
        do throws(KeychainError) {
            let path = try KeychainPath(name, try client.deployment)
            switch call {
            case "keychain-lock": _ = try client.call(KeychainCommand.lock(path: path.text))
            case "keychain-unlock":
                let report = try client.call(KeychainPasswordCommand.unlock(path: path.text), passwords)
                return ["status": 0, "result": Int(report.outcome.rawValue)]
            case "keychain-create": _ = try client.call(KeychainPasswordCommand.create(path: path.text), passwords)
            default: return ["status": 0, "result": Int(try client.state(ofKeychain: path).statusBits)]
            }
            return ["status": 0]
        } catch { return ["status": Int(error.status.rawValue), "result": error.reason] }
    }

    private static func report(_ body: () throws(KeychainError) -> DeviceReport) -> [String: Any] {
        do {
            let report = try body()
            return [
                "status": 0,
                "result": [
                    "outcome": Int(report.outcome.rawValue), "state": Int(report.state.rawValue),
                    "failures": Int(report.failures),
                ],
            ]
        } catch { return ["status": Int(error.status.rawValue), "result": error.reason] }
    }
}
