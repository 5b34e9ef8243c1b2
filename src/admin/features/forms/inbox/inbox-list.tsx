// biome-ignore-all lint/a11y/useFocusableInteractive: the focus is on whole rows.
// biome-ignore-all lint/a11y/useSemanticElements: rows positioned one by one are no table rows.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid handles the keys of its rows.
import { Checkbox } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconPaperclip } from '@tabler/icons-react'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { StateChip } from '#admin/ui/state-chip.tsx'
import type { Submission } from '#shared/contract/form-submissions.ts'
import type { FormField } from '#shared/forms/fields.ts'
import classes from '../forms.module.css'
import type { InboxTab } from './inbox-search.ts'
import { stateLooks, useShortTime, useSummary } from './submission-words.ts'

const rowHeight = 62
const compactRowHeight = 84
/** Number of rows before the end of the list at which the next page is loaded. */
const loadAhead = 15
/** Number of rows that Page Up and Page Down move. */
const pageStep = 10

export interface InboxListHandle {
  /** Scrolls to a row and moves the focus to it. */
  focus: (index: number) => void
}

interface InboxListProps {
  ref?: Ref<InboxListHandle>
  tab: InboxTab
  label: string
  submissions: readonly Submission[]
  /** The fields of the form. */
  fields: readonly FormField[]
  hasMore: boolean
  onMore: () => void
  /** The active row, which has the focus or receives it next. */
  active: number
  onActive: (index: number) => void
  isChosen: (id: string) => boolean
  /** Selects a row; with `isRange`, all rows from the last selected one. null: rows cannot be selected. */
  onChoose: ((submission: Submission, isRange: boolean) => void) | null
  onChooseAll: () => void
  onClear: () => void
  onOpen: (submission: Submission) => void
}

/** The submissions of a tab as a virtual list. Arrow keys move, Space selects, Enter opens. */
export function InboxList(props: InboxListProps) {
  const { ref, tab, submissions, hasMore, onMore, active, onActive, isChosen, onChoose, onOpen } = props
  const t = useTranslations('forms.inbox')
  const summaryOf = useSummary(props.fields)
  const compact = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false }) ?? false
  const grid = useRef<HTMLDivElement>(null)
  const [margin, setMargin] = useState(0)
  /** Whether the focus moves to the active row as soon as it is rendered. */
  const moving = useRef(false)

  const virtual = useWindowVirtualizer({
    count: submissions.length,
    estimateSize: () => (compact ? compactRowHeight : rowHeight),
    overscan: 10,
    scrollMargin: margin,
    // Sticky bars cover the upper and lower edge of the window.
    scrollPaddingStart: 120,
    scrollPaddingEnd: 24,
  })
  // Content above the list can appear and disappear, so its position is measured after every render.
  useLayoutEffect(() => {
    if (!grid.current) return
    const next = grid.current.getBoundingClientRect().top + window.scrollY
    if (Math.abs(next - margin) > 1) setMargin(next)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the size of a row changes with `compact`.
  useEffect(() => virtual.measure(), [compact])
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? -1

  const isNearEnd = hasMore && last >= submissions.length - loadAhead
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new page may need another one.
  useEffect(() => {
    if (isNearEnd) onMore()
  }, [isNearEnd, submissions.length])

  useEffect(() => {
    if (!moving.current) return
    const row = grid.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)
    if (!row) return
    moving.current = false
    row.focus({ preventScroll: true })
  })

  function goTo(index: number) {
    const next = Math.max(0, Math.min(submissions.length - 1, index))
    const row = grid.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)
    if (row) row.focus({ preventScroll: true })
    else moving.current = true
    onActive(next)
    virtual.scrollToIndex(next)
  }
  useImperativeHandle(ref, () => ({ focus: goTo }))

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const isOnRow = (event.target as HTMLElement).getAttribute('role') === 'row'
    const submission = submissions[active]
    const step = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + pageStep,
      PageUp: active - pageStep,
      Home: 0,
      End: submissions.length - 1,
    }[event.key]
    if (step !== undefined && isOnRow && !event.altKey) {
      event.preventDefault()
      goTo(step)
    } else if (event.key === ' ' && isOnRow && submission && onChoose) {
      event.preventDefault()
      onChoose(submission, event.shiftKey)
    } else if (event.key === 'Enter' && isOnRow && submission) {
      event.preventDefault()
      onOpen(submission)
    } else if (event.key === 'a' && (event.metaKey || event.ctrlKey) && isOnRow && onChoose) {
      event.preventDefault()
      props.onChooseAll()
    } else if (event.key === 'Escape' && event.currentTarget.contains(event.target as Node)) {
      props.onClear()
    }
  }

  return (
    <div
      ref={grid}
      className={classes.rows}
      role="grid"
      aria-label={props.label}
      aria-rowcount={hasMore ? -1 : submissions.length}
      aria-multiselectable={onChoose !== null}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {items.map((item) => {
          const submission = submissions[item.index]
          if (!submission) return null
          return (
            <div
              key={submission._id}
              role="row"
              data-index={item.index}
              data-new={submission.state === 'new' || undefined}
              aria-rowindex={item.index + 1}
              aria-selected={onChoose ? isChosen(submission._id) : undefined}
              tabIndex={item.index === active ? 0 : -1}
              className={classes.submission}
              style={{
                height: item.size,
                transform: `translateY(${item.start - virtual.options.scrollMargin}px)`,
              }}
              onFocus={() => onActive(item.index)}
              // Shift-click selects rows, not text.
              onMouseDown={(event) => event.shiftKey && event.preventDefault()}
              onClick={(event) => {
                if (event.shiftKey && onChoose) onChoose(submission, true)
                else onOpen(submission)
              }}
            >
              {onChoose && (
                <div
                  role="gridcell"
                  className={classes.check}
                  // A click next to the small checkbox also selects the row.
                  onClick={(event) => {
                    event.stopPropagation()
                    onChoose(submission, event.shiftKey)
                  }}
                >
                  <Checkbox
                    tabIndex={-1}
                    readOnly
                    checked={isChosen(submission._id)}
                    aria-label={t('select', { name: summaryOf(submission).title || t('noValues') })}
                    style={{ pointerEvents: 'none' }}
                  />
                </div>
              )}
              <Row
                submission={submission}
                summary={summaryOf(submission)}
                showsState={tab === 'all' || tab === 'trash'}
              />
            </div>
          )
        })}
      </div>
    </div>
  )
}

interface RowProps {
  submission: Submission
  summary: ReturnType<ReturnType<typeof useSummary>>
  showsState: boolean
}

function Row({ submission, summary, showsState }: RowProps) {
  const t = useTranslations('forms.inbox')
  const format = useFormatter()
  const shortTime = useShortTime()
  const { state, fileCount, receivedAt } = submission
  const { title, email, rest } = summary
  return (
    <div role="gridcell" className={classes.cell}>
      <span className={classes.who}>
        {state === 'new' && <span className={classes.dot} title={t('states.new')} />}
        <span className={classes.rowTitle}>{title || t('noValues')}</span>
        {email && <span className={classes.rowEmail}>{email}</span>}
      </span>
      <span className={classes.rest}>{rest.join('　')}</span>
      <span className={classes.side}>
        {showsState && state !== 'new' && <StateChip {...stateLooks[state]} text={t(`states.${state}`)} />}
        {fileCount > 0 && (
          <span className={classes.files} title={t('files', { count: fileCount })}>
            <IconPaperclip size={15} aria-hidden="true" />
            <span>{format.number(fileCount)}</span>
          </span>
        )}
        <time
          dateTime={receivedAt}
          title={format.dateTime(new Date(receivedAt), { dateStyle: 'full', timeStyle: 'medium' })}
        >
          {shortTime(receivedAt)}
        </time>
      </span>
    </div>
  )
}
