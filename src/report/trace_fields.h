/* Numbers of the fields that a trace of Perfetto uses, by message, as the documentation of its format has them. */
#ifndef LOCKSTEP_REPORT_TRACE_FIELDS_H
#define LOCKSTEP_REPORT_TRACE_FIELDS_H

enum {
    TRACE_PACKET = 1, /* of the whole */

    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60,
    PACKET_FLAG_CLEARED = 1, /* values of PACKET_FLAGS: interned texts begin anew; are used */
    PACKET_FLAG_NEEDED = 2,

    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,

    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    COUNTER_UNIT_NAME = 6,

    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_COUNTER = 30,
    EVENT_DOUBLE_COUNTER = 44,
    EVENT_FLOW = 47,
    EVENT_FLOW_ENDS = 48,
    EVENT_BEGIN = 1, /* values of EVENT_TYPE */
    EVENT_END = 2,
    EVENT_INSTANT = 3,
    EVENT_COUNTS = 4,

    ANNOTATION_NAME_IID = 1,
    ANNOTATION_UINT = 3,
    ANNOTATION_TEXT_IID = 17,

    INTERNED_EVENT_NAMES = 2,
    INTERNED_ANNOTATION_NAMES = 3,
    INTERNED_TEXTS = 29,
    INTERNED_IID = 1, /* of each of these */
    INTERNED_TEXT = 2,
};

#endif
