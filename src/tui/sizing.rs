//! The data of what holds for other sizes.

use crate::animate::model::ErrorText;
use crate::animate::sizes::{SizesNews, SizesRequest};
use crate::racing::JobStage;
use crate::report::document::Document;

/// What was asked about other sizes, and what is known.
#[derive(Clone, Debug, Default)]
pub struct SizesData {
    /// The last request.
    pub request: Option<SizesRequest>,
    /// The stage.
    pub stage: JobStage,
    /// What was found so far, or the whole answer.
    pub found: Option<Box<Document>>,
    /// Why there is no answer.
    pub failure: Option<ErrorText>,
}

impl SizesData {
    /// Begins with another question: nothing is left of the one before.
    pub fn ask(&mut self, request: SizesRequest) {
        *self = Self {
            request: Some(request),
            stage: JobStage::Queued,
            ..Self::default()
        };
    }

    /// Takes in news.
    pub fn learn(&mut self, news: SizesNews) {
        match news {
            SizesNews::Started => self.stage = JobStage::Running,
            SizesNews::Found(found) => self.found = Some(found),
            SizesNews::Ended(ended) => {
                self.stage = JobStage::Ended;
                match ended {
                    Ok(found) => self.found = Some(found),
                    Err(failure) => self.failure = Some(failure),
                }
            }
        }
    }
}
