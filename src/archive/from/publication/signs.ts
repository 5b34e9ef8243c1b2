import { isRecord, memoize } from '../values.ts'
import type { Sign } from './publication-of.ts'
import { plainWord, splitWords } from './words.ts'

/** Keys of generic contents (tables, lists, front matter) by kind, in the form that `plainWord` returns. */
const keysOfKind: Record<Sign['kind'], string> = {
  status: `
    status state poststatus entrystatus articlestatus contentstatus publishstatus publishstate
    publishingstatus publicationstatus publicationstate workflowstatus workflowstate stage
    publishingstage publicationstage ステータス 状態 公開状態 公開状況 公開ステータス 公開設定
    公開区分 投稿状態 記事の状態 掲載状態`,
  audience: 'visibility privacy audience privacystatus 公開範囲 閲覧権限 公開対象',
  published: `
    published ispublished publish public ispublic publishflag publishflg publishedflag publicflag
    publicflg openflag openflg 公開 公開フラグ 公開する 公開済 公開済み`,
  draft: 'draft isdraft draftflag draftflg unpublished isunpublished 下書き 下書きフラグ 未公開',
  changed: 'unpublishedchanges hasunpublishedchanges hasdraft haschanges',
  hidden: `
    private isprivate hidden ishidden unlisted secret confidential internal hiddenflag hiddenflg hideflag hideflg privateflag
    isunlisted isinternal issecret membersonly memberonly ismembersonly passwordprotected password
    postpassword 非公開 非公開フラグ 非表示 非表示フラグ 限定公開 会員限定 会員限定フラグ`,
  archived: 'archived isarchived archivedat archivedon closedat アーカイブ 公開終了',
  trashed: `
    trashed istrashed deleted isdeleted deletedat deletedon deleteddate trashedat deleteflag deleteflg deletedflag delflag
    delflg removed isremoved 削除 削除済み 削除フラグ 削除日 削除日時`,
  shown: `
    visible isvisible enabled isenabled active isactive routable live islive visibleflag visibleflg
    displayflag displayflg showflag showflg 表示 表示フラグ`,
  publishedAt: 'publishedat publishedon publishedtime publisheddate datepublished',
  publishAt: `
    publishdate publicationdate pubdate publishat publishon scheduledat scheduledfor postdate publishstart publishstartat
    publishstartdate publishfrom publishtime visiblefrom embargo embargountil embargodate golive
    goliveat golivedate releaseat 公開日 公開日時 公開予定日 公開予定日時 公開開始日 公開開始日時
    掲載開始日 掲載開始日時 掲載日 掲載日時 公開開始 掲載開始 公開予約日 公開予約日時`,
  expiresAt: `
    expirydate expirationdate expiresat expireson expiredat unpublishat unpublishdate unpublishon
    unpublishedat publishend publishendat publishenddate publishuntil publishto visibleuntil
    visibleto 公開終了日 公開終了日時 公開終了予定日 公開終了予定日時 掲載終了日 掲載終了日時
    公開期限 掲載期限`,
}

const kindOfKey = new Map(
  Object.entries(keysOfKind).flatMap(([kind, keys]) =>
    splitWords(keys).map((key) => [key, kind as Sign['kind']] as const),
  ),
)

/** The contents of a model repeat their keys, so the results are cached. */
const plainKey = memoize(plainWord)

/** Returns the kind of statement that a key of a generic content makes. undefined: none. */
export const signOfKey = (key: string): Sign['kind'] | undefined => kindOfKey.get(plainKey(key))

/** Keys whose values may contain the statements of a content: keys in responses of APIs, and merge keys of YAML. */
const envelopes = ['attributes', 'fields', 'meta', '_meta', 'sys', '_sys', 'raw', 'system', '<<']

/** Returns the statements of a generic content about its visibility. `seeAlso`: further kinds by plain key. */
export function signsIn(
  content: Record<string, unknown>,
  seeAlso: ReadonlyMap<string, Sign['kind']> = new Map(),
  prefix = '',
): Sign[] {
  return Object.entries(content).flatMap(([key, value]): Sign[] => {
    const kind = signOfKey(key) ?? seeAlso.get(plainKey(key))
    if (kind) return [{ kind, key: `${prefix}${key}`, value }]
    const isDeep = prefix.split('.').length > 2
    return envelopes.includes(key) && isRecord(value) && !isDeep
      ? signsIn(value, seeAlso, `${prefix}${key}.`)
      : []
  })
}
