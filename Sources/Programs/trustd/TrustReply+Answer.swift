import CertificateReading
import ChatelaineModel
import CodeSignatures
import TrustEvaluation
import TrustProtocol

extension TrustReply {
    /// - Parameter former: the chain of the last question, where the worker has answered one.
    init(to request: TrustRequest, after former: inout FormerChain?) {
        let verifier = SignatureVerifier()
        switch request {
        case .signature(let question): self = .verdict(verifier.verify(question))
        case .anchor(let question):
            do throws(KeychainError) { self = .report(try verifier.examine(question)) } catch {
                self = .unsuitable(error.reason)
            }
        case .certificates(let certificates): self = .readings(certificates.map(CertificateReader.read))
        case .evaluation(let trustCase): self = .evaluation(TrustEvaluator.judge(trustCase, after: &former))
        case .bundle(let file): self = .roots(RootBundle.read(file))
        case .names(let names):
            do throws(KeychainError) { self = .names(try CertificateReader.normalize(names)) } catch {
                self = .unsuitable(error.reason)
            }
        }
    }

    /// Answers made-up questions, each from the decoding of its frame to the encoding of the answer, and discards the
    /// answers.
    ///
    /// - Parameter isFree: asked before each question whether there is still time for it.
    static func warmUp(while isFree: () -> Bool = { true }) {
        for frame in SampleQuestions.frames {
            guard isFree() else { return }
            guard let request = try? frame.withUnsafeBytes({ try TrustRequest(frame: $0) }) else { continue }
            var answer = CBORWriter()
            var none: FormerChain?
            TrustReply(to: request, after: &none).encode(to: &answer)
            _ = answer.finishArray()
        }
    }
}
