import ChatelaineSystem
import EnclaveProtocol
import Glibc

/// Handles the messages of fprintd and of the bus.
extension FprintClient {
    func take(_ message: BusMessage, _ now: Int64) throws(Errno) {
        switch message.kind {
        case .signal: try takeSignal(message, now)
        case .answer(let serial):
            guard case .step(let task)? = questions.removeValue(forKey: serial), isThere(task) else { return }
            do throws(Errno) { try read(message, for: task) } catch { return try giveBack(task, now) }
            try goOn(task, now)
        case .refusal(let serial):
            switch questions.removeValue(forKey: serial) {
            case nil: return
            case .rule: throw .notPermitted
            case .step(let task):
                guard isThere(task) else { return }
                try takeRefusal(message.error, of: task, now)
            }
        }
    }

    private func isThere(_ task: FprintTask) -> Bool { tasks.contains { $0 === task } }

    /// Reads an answer; throws where it is not as it should be.
    private func read(_ message: BusMessage, for task: FprintTask) throws(Errno) {
        switch task.step {
        case .queued, .pause, .verify: throw Self.unexpected
        case .manager:
            let path = try message.text("o")
            guard path.utf8.count <= MatcherWire.maximumNameBytes, !message.sender.isEmpty else {
                throw Self.unexpected
            }
            (task.path, task.owner) = (path, message.sender)
            return
        // The process that answered for fprintd has to be the one that the bus reports as the owner of the name.
        case .owner:
            guard message.sender == SystemBus.driver, try message.text() == task.owner else { throw Self.unexpected }
            return
        case .claim, .start, .stop, .release: break
        case .name: task.device = try message.variant("s") { () throws(Errno) in try message.text() }
        case .fingers:
            task.enrolment = FingerEnrolment(
                device: task.device, fingers: try message.texts(limit: MatcherWire.maximumFingers))
            guard task.enrolment != nil else { throw Self.unexpected }
        }
        guard message.sender == task.owner else { throw Self.unexpected }
    }

    private static let unexpected = Errno(EBADMSG)

    /// Takes the next step after an answer.
    private func goOn(_ task: FprintTask, _ now: Int64) throws(Errno) {
        switch task.step {
        case .queued, .pause, .verify: break
        case .manager:
            task.step = .owner
            try askDriver(.step(task), "GetNameOwner", Self.name)
        case .owner: task.isMatch ? try claim(task, now) : try askName(task, now)
        case .claim:
            task.isClaimed = true
            task.isAwaited ? try askName(task, now) : try release(task, now)
        case .name: try askDevice(task, .fingers, "ListEnrolledFingers", [Self.caller], now: now)
        case .fingers: try takeEnrolment(task, now)
        case .start:
            guard task.isAwaited else { return try stopVerifying(task, now) }
            task.step = .verify
            // A person may take any time; the waiting dialog says when it is enough.
            task.limit = .max
        case .stop: try release(task, now)
        case .release: end(task, now)
        }
    }

    private func askName(_ task: FprintTask, _ now: Int64) throws(Errno) {
        try askDevice(task, .name, "Get", [Self.device, "name"], of: Self.properties, now: now)
    }

    private func takeEnrolment(_ task: FprintTask, _ now: Int64) throws(Errno) {
        guard task.isMatch else {
            tell(task, .enrolment, task.enrolment)
            return end(task, now)
        }
        guard let enrolment = task.enrolment, !enrolment.fingers.isEmpty else { return try giveBack(task, now) }
        // While the device is claimed, nobody changes what is enrolled.
        try askDevice(task, .start, "VerifyStart", ["any"], now: now)
    }

    private func takeRefusal(_ error: String, of task: FprintTask, _ now: Int64) throws(Errno) {
        switch (task.step, error) {
        case (.claim, "net.reactivated.Fprint.Error.AlreadyInUse") where task.isAwaited:
            task.step = .pause
            task.limit = now + Self.claimPause
        case (.fingers, "net.reactivated.Fprint.Error.NoEnrolledPrints"):
            task.enrolment = FingerEnrolment(device: task.device, fingers: [])
            task.enrolment == nil ? try giveBack(task, now) : try takeEnrolment(task, now)
        case (.stop, _): try release(task, now)
        case (.release, _): end(task, now)
        default: try giveBack(task, now)
        }
    }

    private func takeSignal(_ message: BusMessage, _ now: Int64) throws(Errno) {
        // A message that cannot be read counts as no match, and has no other effect.
        if message.sender == SystemBus.driver {
            guard message.interface == SystemBus.driver, message.member == "NameOwnerChanged",
                let owner = try? formerOwner(message), !owner.isEmpty
            else { return }
            for task in tasks where task.owner == owner {
                fail(task)
                end(task, now)
            }
            return
        }
        guard
            let task = tasks.first(where: {
                $0.step == .verify && $0.owner == message.sender && $0.path == message.path
            }), message.interface == Self.device, message.member == "VerifyStatus",
            let status = try? verifyStatus(message)
        else { return }
        switch (status.result, status.isDone) {
        case ("verify-match", true): tell(task, .matched, task.enrolment)
        case ("verify-no-match", true): tell(task, .notMatched)
        case (_, true): fail(task)
        case (_, false):
            task.retries += 1
            guard task.retries > Self.mostRetries else { return }
            fail(task)
        }
        try stopVerifying(task, now)
    }

    private func formerOwner(_ message: BusMessage) throws(Errno) -> String {
        guard try message.text() == Self.name else { return "" }
        return try message.text()
    }

    private func verifyStatus(_ message: BusMessage) throws(Errno) -> (result: String, isDone: Bool) {
        (try message.text(), try message.flag())
    }
}
