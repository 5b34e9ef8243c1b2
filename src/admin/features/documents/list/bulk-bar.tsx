import { Anchor, Button, CloseButton, Group, Text, Tooltip } from '@mantine/core'
import { IconCopy, IconEyeOff, IconTrash, IconWorldUpload } from '@tabler/icons-react'
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
import { findDraftReferencesOfMany, findMissingAssetsOfMany, findReferrers } from '../references.ts'
import { undoDelete } from '../trash/restore.ts'
import { useDuplicate } from '../use-duplicate.ts'
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
import { MissingInDocuments } from './missing-in-documents.tsx'

const hoverFocusTouch = { hover: true, focus: true, touch: true }

interface BulkBarProps {
  model: Model
  place: ModelPlace
  query: string
  total: number
  selection: Selection
  onSelection: (selection: Selection) => void
  /** Called after documents were changed. */
  onDone: () => void
}

type BarAction = Exclude<BulkAction, 'restore'>

interface Run {
  action: BarAction
  total: number
  done: number
  titles: ReadonlyMap<string, string>
  results: BulkResult[] | null
}

/** Actions on the selected documents, their progress, and the reasons why documents failed. */
export function BulkBar({ model, place, query, total, selection, onSelection, onDone }: BulkBarProps) {
  const t = useTranslations('documents.bulk')
  const named = useNamedTitles()
  const can = useCanInModel(place.p, place.a, model._id)
  const duplicate = useDuplicate(model, place)
  const [run, setRun] = useState<Run | null>(null)
  const count = selection.chosen.size
  const [only] = count === 1 ? selection.chosen : []
  const bar = useRef<HTMLElement>(null)
  /** Whether the consequences for the confirmation are being loaded. A second click is ignored then. */
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

  /** Runs an action. `left`: selected documents that the action skips. They stay selected. */
  async function start(action: BarAction, left: ReadonlySet<string> = new Set()) {
    const titles = new Map(selection.chosen)
    const ids = [...titles.keys()].filter((id) => !left.has(id))
    const begun: Run = { action, total: ids.length, done: 0, titles, results: null }
    setRun(begun)
    const results = await runBulk(place, action, ids, (done) => setRun({ ...begun, done }))
    onDone()
    const failed = results.filter((result) => !result.success)
    // Failed documents stay selected, so that the user can inspect or retry them.
    const kept = [...left, ...failed.map(({ _id }) => _id)]
    onSelection({ chosen: new Map(kept.map((id) => [id, titles.get(id) ?? ''])), anchor: null })
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

  /** Clears the selection. The bar then disappears, so the focus moves to the list. */
  function clear() {
    const grid = bar.current?.closest(`.${classes.page}`)?.querySelector<HTMLElement>('[role="grid"]')
    onSelection(nothingSelected)
    grid?.querySelector<HTMLElement>('[role="row"][tabindex="0"]')?.focus()
  }

  function closeRun() {
    setRun(null)
    bar.current?.querySelector<HTMLElement>('button')?.focus()
  }

  /** Returns a text for the confirmation about consequences for other documents. null: no consequences. */
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
    const [consequences, missing] = await Promise.all([
      consequencesOf(action).catch(() => null),
      action === 'publish'
        ? findMissingAssetsOfMany(model, place, new Set(selection.chosen.keys())).catch(() => [])
        : [],
    ])
    asking.current = false
    const left = new Set(missing.map(({ _id }) => _id))
    const others = count - left.size
    confirm({
      title: t(`confirm.${action}.title`, { count }),
      message: (
        <>
          {t(`confirm.${action}.text`)}
          {consequences && <p>{consequences}</p>}
          {missing.length > 0 && (
            <MissingInDocuments model={model} titles={selection.chosen} documents={missing} />
          )}
        </>
      ),
      action: t(missing.length > 0 ? 'missing.all' : `confirm.${action}.action`),
      danger: action === 'delete',
      // The action is not awaited, because its progress is shown in its own window.
      run: async () => void start(action),
      ...(missing.length > 0 && others > 0
        ? {
            other: {
              action: t('missing.others', { count: others }),
              run: async () => void start(action, left),
            },
          }
        : {}),
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
          <Tooltip label={t('duplicateOne')} disabled={only !== undefined} events={hoverFocusTouch}>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconCopy size={15} />}
              {...(only ? {} : { 'data-disabled': true, 'aria-disabled': true })}
              onClick={() => only && void duplicate(...only)}
            >
              {t('duplicate')}
            </Button>
          </Tooltip>
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

/** Why a document failed: the names of fields with issues, or the message of the error code. */
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
