import { Anchor, Button, CloseButton, Group, Text } from '@mantine/core'
import { IconEyeOff, IconTrash, IconWorldUpload } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { nothingSelected, type Selection } from '#admin/lib/selection.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInModel } from '#admin/lib/use-can.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { RunWindow } from '#admin/ui/run-window.tsx'
import type { Model } from '#shared/contract/models.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { namedIssue } from '../named-issue.ts'
import { findDraftReferencesOfMany, findReferrers } from '../references.ts'
import { undoDelete } from '../trash/restore.ts'
import { useNamedTitles } from '../use-named-titles.ts'
import {
  type BulkAction,
  type BulkResult,
  countResults,
  findAll,
  maximumSelected,
  runBulk,
} from './bulk-actions.ts'
import classes from './list.module.css'
import { titleIn } from './list-query.ts'

interface BulkBarProps {
  model: Model
  place: ModelPlace
  query: string
  total: number
  selection: Selection
  onSelection: (selection: Selection) => void
  /** Documents were changed. */
  onDone: () => void
}

/** What the bar offers. */
type BarAction = Exclude<BulkAction, 'restore'>

interface Run {
  action: BarAction
  total: number
  done: number
  titles: ReadonlyMap<string, string>
  results: BulkResult[] | null
}

/** What can be done with the chosen documents, how far it is, and how each of them fared. */
export function BulkBar({ model, place, query, total, selection, onSelection, onDone }: BulkBarProps) {
  const t = useTranslations('documents.bulk')
  const named = useNamedTitles()
  const can = useCanInModel(place.p, place.a, model._id)
  const [run, setRun] = useState<Run | null>(null)
  const count = selection.chosen.size
  const bar = useRef<HTMLElement>(null)
  /** What a question has to tell is being looked up: a second click asks nothing more. */
  const asking = useRef(false)

  async function selectAll() {
    try {
      const documents = await findAll(place, query)
      onSelection({
        chosen: new Map(documents.map((document) => [document._id, titleIn(model, document)])),
        anchor: null,
      })
    } catch (error) {
      toast.error(errorText(error))
    }
  }

  async function start(action: BarAction) {
    const titles = new Map(selection.chosen)
    const ids = [...titles.keys()]
    const begun: Run = { action, total: ids.length, done: 0, titles, results: null }
    setRun(begun)
    const results = await runBulk(place, action, ids, (done) => setRun({ ...begun, done }))
    onDone()
    const failed = results.filter((result) => !result.success)
    // What failed stays chosen: to look at, to try again.
    onSelection({ chosen: new Map(failed.map(({ _id }) => [_id, titles.get(_id) ?? ''])), anchor: null })
    const { done, unchanged } = countResults(results)
    if (done.length + unchanged > 0 && (failed.length === 0 || action === 'delete'))
      toast.success(
        action === 'delete'
          ? t('done.delete', { count: done.length })
          : t(`done.${action}`, { count: done.length, unchanged }),
        action === 'delete' ? undoDelete(place, done) : undefined,
      )
    if (failed.length === 0) setRun(null)
    else setRun({ ...begun, done: results.length, results })
  }

  /** The bar goes away with the selection: the focus goes to the list. */
  function clear() {
    const grid = bar.current?.closest(`.${classes.page}`)?.querySelector<HTMLElement>('[role="grid"]')
    onSelection(nothingSelected)
    grid?.querySelector<HTMLElement>('[role="row"][tabindex="0"]')?.focus()
  }

  function closeRun() {
    setRun(null)
    bar.current?.querySelector<HTMLElement>('button')?.focus()
  }

  /** What it does to others, by name: worth knowing, but not worth waiting for in vain. */
  async function consequencesOf(action: BarAction): Promise<string | null> {
    const chosen = new Set(selection.chosen.keys())
    if (action === 'publish') {
      const drafts = await findDraftReferencesOfMany(model, place, chosen)
      return drafts.length > 0 ? t('draftReferences', { total: drafts.length, titles: named(drafts) }) : null
    }
    const { titles, total } = await findReferrers(place, chosen)
    return total > 0 ? t('referrers', { total, titles: named(titles, total) }) : null
  }

  async function ask(action: BarAction) {
    if (asking.current) return
    asking.current = true
    const consequences = await consequencesOf(action).catch(() => null)
    asking.current = false
    confirm({
      title: t(`confirm.${action}.title`, { count }),
      message: (
        <>
          {t(`confirm.${action}.text`)}
          {consequences && <p>{consequences}</p>}
        </>
      ),
      action: t(`confirm.${action}.action`),
      danger: action === 'delete',
      // Not waited for: the progress is shown in its own window.
      run: async () => void start(action),
    })
  }

  return (
    <section ref={bar} className={classes.bulk} aria-label={t('label')}>
      <Text size="sm" fw={600} role="status">
        {t('selected', { count })}
      </Text>
      {count < Math.min(total, maximumSelected) && (
        <Anchor component="button" type="button" size="sm" onClick={() => void selectAll()}>
          {total <= maximumSelected
            ? t('selectAll', { total })
            : t('selectFirst', { count: maximumSelected })}
        </Anchor>
      )}
      <CloseButton aria-label={t('clear')} onClick={clear} />
      <Group gap="xs" ml="auto">
        {can('document.publish.own') && (
          <>
            <Button size="xs" leftSection={<IconWorldUpload size={15} />} onClick={() => void ask('publish')}>
              {t('publish')}
            </Button>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconEyeOff size={15} />}
              onClick={() => void ask('unpublish')}
            >
              {t('unpublish')}
            </Button>
          </>
        )}
        {can('document.write.own') && (
          <Button
            size="xs"
            variant="default"
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={15} />}
            onClick={() => void ask('delete')}
          >
            {t('delete')}
          </Button>
        )}
      </Group>
      {run && <OutcomeWindow run={run} model={model} place={place} onClose={closeRun} />}
    </section>
  )
}

interface OutcomeWindowProps {
  run: Run
  model: Model
  place: ModelPlace
  onClose: () => void
}

function OutcomeWindow({ run, model, place, onClose }: OutcomeWindowProps) {
  const t = useTranslations('documents.bulk')
  const failed = run.results?.filter((result) => !result.success) ?? []
  const { done, unchanged } = countResults(run.results ?? [])
  return (
    <RunWindow
      title={t(`running.${run.action}`)}
      done={run.done}
      total={run.total}
      onClose={onClose}
      outcome={
        run.results && {
          title: t('resultTitle'),
          text: t('resultText', { success: done.length, unchanged, failed: failed.length }),
          failed: failed.map((result) => ({
            id: result._id,
            name: (
              <Anchor
                size="sm"
                fw={600}
                renderRoot={(props) => (
                  <Link {...props} to="/$p/$a/$m/$id" params={{ ...place, id: result._id }} target="_blank" />
                )}
              >
                {run.titles.get(result._id) || result._id}
              </Anchor>
            ),
            reason: <Reason result={result} model={model} />,
          })),
        }
      }
    />
  )
}

/** Why a document failed: the broken fields by name, or the sentence for the code. */
function Reason({ result, model }: { result: BulkResult; model: Model }) {
  const t = useTranslations('documents.bulk')
  if (result.issues && result.issues.length > 0)
    return (
      <ul>
        {result.issues.map((issue) => {
          const { name, text } = namedIssue(model, issue)
          return <li key={`${issue.path} ${issue.code}`}>{t('issue', { field: name, text })}</li>
        })}
      </ul>
    )
  return <div>{errorText(new ApiError(400, { code: result.code ?? 'undefined' }))}</div>
}
