/* Calls on their way to workers and back, whatever protocol brought them: pieces of a body that is work to take, and
   the work after CALL_WORK. The transport suspends a call before it is handed over, and resumes it when its part is
   done, with a reply that stands or to go on. */
#pragma once

#include "net/call.h"

/* -- pieces of a body (call->body_is_work): small ones are gathered until a job is worth it -- */

/* False when there is no memory: the call has its reply. */
bool handover_gather(struct call *call, const char *bytes, size_t size);

/* Whether a worker should have what was gathered, or, at the body's `end`, must. */
bool handover_is_due(const struct call *call, bool at_end);

/* Takes what was gathered on this thread. False: the call has its reply. */
bool handover_take_inline(struct call *call);

/* These suspend the call; it may be resumed before they return. */
void handover_piece(struct call *call);
void handover_work(struct call *call);
