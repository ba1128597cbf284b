import ChatelaineModel
import Enclave
import EnclaveProtocol
import KeyWorker

/// Uses keys in this process, with the code of keyd's workers.
package struct OwnKeyWorker: KeyCalculating {
    package init() {}

    package func calculate(_ request: KeyWorkerRequest, since _: Int) throws(KeychainError) -> KeyWorkerReply {
        var recent = RecentKey()
        return KeyWork.answer(request, &recent)
    }

    package var lockings: Int { 0 }
    package func forgetKeys() {}
}
