//! The end of a session: whatever it was like, nothing may be left of it.

use super::call::Call;
use super::client::Said;
use super::driver::Session;
use super::engine::{How, Rest};
use super::model::SLOTS;

impl Session<'_> {
    /// Everything ends: nothing may be left behind.
    pub fn end(&mut self, park_bytes: usize) {
        self.feed_all();
        for _ in 0..4 {
            self.wait(100_000);
            while let Some((ticket, number, _)) = self.engine.desk.held.first().copied() {
                self.go_on(ticket, number, How::Finish);
                self.settle();
            }
        }
        assert_eq!((self.model.open(false), self.engine.server().calls_waiting()), (0, 0));
        assert_eq!(self.engine.server().deadline(), None);
        self.every_slot_is_free();
        self.the_park_is_empty(park_bytes);
        self.engine.end();
        assert_eq!(self.engine.poll(), Rest::Ended);
    }

    fn every_slot_is_free(&mut self) {
        for _ in 0..SLOTS {
            let number = self.number();
            let call = Call { slot: Some(true), ..Call::new(number, "hold", "w".into()) };
            self.say(Said::call(call, "{\"m\":\"w\"}".into(), String::new()));
            self.feed_all();
        }
        assert_eq!(self.engine.server().calls_waiting(), SLOTS);
        while let Some((ticket, number, _)) = self.engine.desk.held.first().copied() {
            self.go_on(ticket, number, How::Finish);
            self.settle();
        }
    }

    /// A call whose question and arguments take every byte can ask, and one with a byte more cannot.
    fn the_park_is_empty(&mut self, park_bytes: usize) {
        for (more, fits) in [(0, true), (1, false), (0, true)] {
            let before = self.model.last_question;
            let number = self.number();
            let call = Call { slot: Some(true), ..Call::new(number, "ask_one", "w".into()) };
            let args = "{\"m\":\"w\"}";
            let blanks = park_bytes + more - 16 - 1 - 16 - args.len();
            let args = args.replace('}', &(" ".repeat(blanks) + "}"));
            self.model.tight.park = !fits;
            if fits {
                self.say(Said::call(call, args, String::new()));
                self.feed_all();
                assert_eq!(self.model.last_question, before + 1, "the question fits");
                self.say(Said::cancel(number));
                self.feed_all();
            } else {
                let limits = self.model.limits;
                self.say(Said::call(call, args, String::new()));
                self.feed_all();
                assert_eq!(self.model.limits, limits + 1, "there is no room for the question");
            }
        }
    }

    /// Says one thing.
    fn say(&mut self, said: Said) {
        let (line, effect) = self.spoken(said);
        self.line(line, vec![effect]);
    }
}
