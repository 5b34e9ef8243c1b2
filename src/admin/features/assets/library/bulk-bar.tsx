import { Button, CloseButton, Group, Text } from '@mantine/core'
import { IconArrowBackUp, IconTag, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { nothingSelected, type Selection } from '#admin/lib/selection.ts'
import { toast } from '#admin/lib/toast.ts'
import { useAssetRights } from '#admin/media/use-asset-rights.ts'
import { RunWindow } from '#admin/ui/run-window.tsx'
import { askToDelete, toldDeleted } from '../delete-assets.tsx'
import { type AssetResult, type BulkWork, runBulk } from '../run-bulk.ts'
import { BulkTagsDialog } from '../tags/bulk-tags-dialog.tsx'
import classes from './library.module.css'

interface BulkBarProps {
  p: string
  /** Whether the trash is shown. true: restoring is the only action. */
  trash: boolean
  selection: Selection
  onSelection: (selection: Selection) => void
}

interface Run {
  action: BulkWork['action']
  titles: ReadonlyMap<string, string>
  done: number
  results: AssetResult[] | null
}

/** Actions on the selected assets, their progress, and the failed assets with the reasons. */
export function BulkBar({ p, trash, selection, onSelection }: BulkBarProps) {
  const t = useTranslations('assets.bulk')
  const rights = useAssetRights(p)
  const [run, setRun] = useState<Run | null>(null)
  const [tagging, setTagging] = useState(false)
  const count = selection.chosen.size

  async function start(work: BulkWork) {
    const titles = new Map(selection.chosen)
    const begun: Run = { action: work.action, titles, done: 0, results: null }
    setRun(begun)
    const results = await runBulk(p, work, [...titles.keys()], (done) => setRun({ ...begun, done }))
    const failed = results.filter(({ success }) => !success)
    const done = results.filter(({ success }) => success).map(({ _id }) => _id)
    if (done.length > 0 && work.action === 'delete') toldDeleted(p, done)
    else if (done.length > 0) toast.success(t(`done.${work.action}`, { count: done.length }))
    if (failed.length > 0) setRun({ ...begun, done: results.length, results })
    else setRun(null)
    // Failed assets stay selected, so that the user can inspect or retry them.
    onSelection({ chosen: new Map(failed.map(({ _id }) => [_id, titles.get(_id) ?? ''])), anchor: null })
  }

  const targets = () => [...selection.chosen].map(([id, title]) => ({ id, title }))
  return (
    <section className={classes.bulk} aria-label={t('label')}>
      <Text size="sm" fw={600} role="status">
        {t('selected', { count })}
      </Text>
      <CloseButton aria-label={t('clear')} onClick={() => onSelection(nothingSelected)} />
      {rights.upload && (
        <Group gap="xs" ml="auto">
          {trash ? (
            <Button
              size="xs"
              leftSection={<IconArrowBackUp size={15} />}
              onClick={() => void start({ action: 'restore' })}
            >
              {t('restore')}
            </Button>
          ) : (
            <>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconTag size={15} />}
                aria-haspopup="dialog"
                onClick={() => setTagging(true)}
              >
                {t('tags')}
              </Button>
              <Button
                size="xs"
                variant="default"
                c="var(--mantine-color-error)"
                leftSection={<IconTrash size={15} />}
                onClick={() =>
                  // The action is not awaited, because its progress is shown in its own window.
                  void askToDelete(
                    p,
                    targets(),
                    () => undefined,
                    async () => void start({ action: 'delete' }),
                  )
                }
              >
                {t('delete')}
              </Button>
            </>
          )}
        </Group>
      )}
      {tagging && (
        <BulkTagsDialog
          p={p}
          count={count}
          onClose={(change) => {
            setTagging(false)
            if (change) void start({ action: 'tag', ...change })
          }}
        />
      )}
      {run && (
        <RunWindow
          title={t(`running.${run.action}`)}
          done={run.done}
          total={run.titles.size}
          outcome={run.results && outcomeOf(run, run.results)}
          onClose={() => setRun(null)}
        />
      )}
    </section>
  )

  function outcomeOf({ titles }: Run, results: AssetResult[]) {
    const failed = results.filter(({ success }) => !success)
    return {
      title: t('resultTitle'),
      text: t('resultText', { success: results.length - failed.length, failed: failed.length }),
      failed: failed.map(({ _id, code }) => ({
        id: _id,
        name: titles.get(_id) || _id,
        reason: <div>{errorText(new ApiError(400, { code: code ?? 'undefined' }))}</div>,
      })),
    }
  }
}
