import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation

/// Calls about the device, for which Apple has no function.
extension Probe {
    /// Nil for a call about something else.
    static func performDevice(_ command: [String: Any]) -> [String: Any]? {
        let passcodes = (command["passcodes"] as? [String] ?? []).map { SecretBytes(Array($0.utf8)) }
        switch command["call"] as? String {
        case "state": return report { () throws(KeychainError) in try KeychainClient.shared.device(.state) }
        case "lock": return report { () throws(KeychainError) in try KeychainClient.shared.device(.lock) }
        case "unlock": return report { () throws(KeychainError) in try KeychainClient.shared.call(.unlock, passcodes) }
        default: return nil
        }
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
