"""Developers' words for one thing, in English, Chinese and Japanese: a text's words in, markers of what they mean out.

A marker is a term such as `~delete`, with the number of the word it stands for. Rules and short prompts carry markers
beside their words, so that "wipe" finds "remove", and 删除 both. A marker has an idf of its own, so that "test" says less than "timezone".
"""

from __future__ import annotations

import zlib

from retrieval.lexical.memo import Memo
from retrieval.lexical.stemming import stem_all
from retrieval.lexical.tokens import STOP_WORDS, TOKENIZER_ID, tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from retrieval.lexical.tokens import Token

    Rest = tuple[tuple[str, int], ...]  # the further terms of a phrase, with how far after the first each stands

MARK = "~"  # no word has it
NEXT_WORD = 2  # numbers between two Latin words in a row; CJK pairs are one apart
# One line for each concept: its name, then words of it in any form; words that must follow one another are joined by _.
TABLE = """
push push 推送 强推 プッシュ
force force enforce 强制 强推 强行 強制
branch branch 分支 ブランチ
mainline main master trunk mainline 主分支 主干 メインブランチ
commit commit checkin 提交 コミット
history history 历史 履歴
remote remote origin upstream 远程 远端 リモート
pull pull fetch 拉取 プルする
merge merge 合并 マージ
rebase rebase squash amend 变基 リベース
overwrite overwrite clobber 覆盖 上書き
team collaborator coworker colleague teammate shared collaborative 同事 其他人 别人 他人 共享 共用 同僚 他の人 共有
repository repository repo version_control 仓库 版本库 リポジトリ
conflict conflict 冲突 コンフリクト 競合
untracked untracked unstaged uncommitted 未跟踪 未追踪 未コミット 未追跡
worktree worktree working_tree working_directory working_copy 工作区 作業ツリー
review review reviewer approve approval audited pull_request merge_request 审查 评审 审核 审批 レビュー 承認 プルリクエスト
delete delete remove wipe clean cleanup erase purge destroy destructive rm unlink prune 删除 清空 清除 清理 移除 削除 消去 消す
recursive recursive rf 递归 再帰
directory directory folder dir 目录 文件夹 ディレクトリ フォルダ
file file 文件 ファイル
backup backup snapshot dump 备份 快照 バックアップ
restore restore recover rollback revert undo roll_back 恢复 还原 回滚 撤销 復元 復旧 ロールバック
config config configuration setting dotenv env 配置 设置 設定
database database db sqlite postgres postgresql mysql mariadb mongodb 数据库 データベース
query query sql select 查询 语句 クエリ
schema schema ddl alter migration migrate column 表结构 迁移 字段 マイグレーション スキーマ カラム
table table 数据表 大表 テーブル
lock lock deadlock mutex 加锁 锁表 锁定 死锁 ロック
transaction transaction 事务 トランザクション
injection injection inject 注入 インジェクション
sanitize sanitize unsanitized parameterize parameterization parameterized escape unescaped prepared placeholder 参数化 转义 过滤 プレースホルダ エスケープ
concatenate concatenate concatenation interpolate interpolation format_string template_literal 拼接 連結
input input untrusted user_supplied user_provided user_controlled user_submitted 用户输入 外部输入 不可信 入力
production production prod 生产 线上 正式环境 本番
staging staging 预发 测试环境 ステージング 検証環境
deploy deploy deployment rollout roll_out 部署 上线 デプロイ
publish publish release upload twine 发布 发版 上传 リリース 公開
package package wheel tarball sdist 软件包 安装包 パッケージ
registry registry pypi npmjs レジストリ
version version semver 版本 バージョン
dependency dependency library third_party 依赖 依存 ライブラリ
install install 安装 インストール
upgrade upgrade update bump 升级 更新 アップグレード アップデート
secret secret credential password passwd token api_key apikey access_key private_key signing_key service_account 密钥 密码 口令 凭据 凭证 令牌 パスワード 認証情報 秘密鍵 トークン
hardcode hardcode embed embedded plaintext plain_text 硬编码 写死 明文 ハードコード 埋め込
encrypt encrypt decrypt encryption cipher tls ssl 加密 解密 暗号
login login auth authentication authenticate signin oauth sso 登录 认证 鉴权 ログイン 認証
permission permission authorization authorize role privilege chmod sudo 权限 授权 権限 認可
vulnerability vulnerability exploit attack attacker malicious payload xss csrf 漏洞 攻击 脆弱性 攻撃
evaluate eval exec dynamic_code code_execution dynamically_execute 动态执行 動的実行
execute run execute execution launch 运行 执行 実行 走らせ
test test pytest jest unittest untested 测试 单测 テスト
integration integration e2e end_to_end 集成测试 端到端 結合テスト 統合テスト
mock mock stub fake spy monkeypatch 模拟 打桩 モック スタブ
assert assert assertion expect 断言 アサート アサーション
behavior behavior behaviour contract observable public_interface 行为 振る舞い 挙動 契約
internal internal implementation private 内部 实现细节 私有 実装の詳細
flaky flaky intermittent nondeterministic 不稳定 偶发 時々失敗 不安定
pipeline ci pipeline workflow github_action 流水线 持续集成 パイプライン
skip skip bypass omit ignore disable 跳过 绕过 忽略 禁用 スキップ 無視 飛ばす 無効
verify verify check confirm validate validation ensure preview dry_run 检查 验证 确认 校验 確認 検証 チェック
comment comment remark feedback 评论 注释 评语 コメント
label label mark classify flag 标记 标注 标为 ラベル 分類
minor nit nitpick minor cosmetic optional trivial suggestion suggest 建议 小问题 可选 次要 低优先级 軽微 提案 任意
severe critical severe serious block blocking blocker 严重 致命 阻塞 重大 深刻
bug bug defect crash null_pointer race_condition memory_leak leak exception logic_error 缺陷 错误 空指针 竞争 竞态 内存泄漏 崩溃 故障 数据丢失 漏洞 バグ 不具合 欠陥 クラッシュ 例外
style style lint eslint prettier naming rename formatting 风格 命名 格式化 スタイル 書式
convention convention conventional guideline template 规范 约定 惯例 規約 慣習
message message 信息 消息 说明 メッセージ
component component widget 组件 コンポーネント
state state store redux 状态 状態
mutate mutate mutation modify reassign 修改 变更 改动 書き換 変更
property property prop attribute 属性 プロパティ
render render rerender 渲染 レンダリング 描画
function function method callback 函数 方法 関数 メソッド
variable variable var 变量 変数
empty empty unset null undefined blank 为空 空值 未设置 未設定
script script shell bash zsh powershell 脚本 スクリプト シェル
command command cli terminal console 命令 终端 コマンド 端末
server server backend 服务器 服务端 后端 サーバー バックエンド
endpoint endpoint api route handler 接口 路由 エンドポイント
request request http response 请求 响应 リクエスト
timeout timeout retry backoff 超时 重试 タイムアウト リトライ
log log logger logging print 日志 打印 ログ出力
concurrency concurrent concurrency thread async parallel 并发 异步 线程 並行 並列 スレッド 非同期
cache cache memoize 缓存 キャッシュ
performance performance slow latency optimize optimization 性能 优化 变慢 パフォーマンス 最適化 遅い
documentation documentation docs readme docstring 文档 ドキュメント
refactor refactor restructure 重构 リファクタ
container docker container kubernetes k8s pod 容器 镜像 コンテナ
timezone timezone utc time_zone datetime 时区 タイムゾーン
encoding encoding utf unicode charset 编码 字符集 文字コード エンコーディング
large large huge massive bulk 大量 大规模 大規模 巨大
traffic traffic peak 流量 高峰 トラフィック 負荷
notify notify inform announce 通知 告知 知らせ
explain explain demonstrate educational tutorial teach training illustrate 讲解 解释 教学 演示 説明 教育 解説
manual manual manually handwritten directly 直接 手动 手写 手工 手動 手作業
user user customer account 用户 账号 ユーザー アカウント
array array list 数组 列表 配列 リスト
"""


def tokenize_with_concepts(text: str) -> list[Token]:
    tokens = tokenize(text)
    return tokens + concept_tokens(tokens)


def concept_tokens(tokens: Iterable[Token]) -> list[Token]:
    """The markers of a text's tokens; each has the number of the first word of what it stands for."""
    present, members = set(tokens), known_members()
    return [
        (marker, number)
        for term, number in tokens
        if number is not None and term in members
        for marker, rest in members[term]
        if all((later, number + step) in present for later, step in rest)
    ]


def is_marker(term: str) -> bool:
    return term[0] == MARK


def read_table(table: str) -> dict[str, list[tuple[str, Rest]]]:
    """For the first term of each member: the markers it stands for, and what must follow it."""
    members: dict[str, list[tuple[str, Rest]]] = {}
    phrases: list[tuple[str, str]] = []
    for line in table.split("\n"):
        name, _, words = line.partition(" ")
        for word in words.split():
            if word.isascii():
                phrases.append((word, MARK + name))
            else:
                members.setdefault(word[:2], []).append((MARK + name, _rest_of_pairs(word)))
    _add_latin(phrases, members)
    return members


def _add_latin(phrases: list[tuple[str, str]], members: dict[str, list[tuple[str, Rest]]]) -> None:
    stems = iter(stem_all(" ".join(phrase.replace("_", " ") for phrase, _ in phrases).split()))
    for phrase, marker in phrases:
        first, *rest = [(next(stems), step * NEXT_WORD) for step, _ in enumerate(phrase.split("_"))]
        kept = tuple(term for term in rest if term[0] not in STOP_WORDS)  # the tokenizer drops them, too
        members.setdefault(first[0], []).append((marker, kept))


def _rest_of_pairs(word: str) -> Rest:
    return tuple((word[at : at + 2], at) for at in range(1, len(word) - 1))


def known_members() -> dict[str, list[tuple[str, Rest]]]:
    """Read at the first short prompt; a long one needs none of it."""
    return _MEMBERS[TABLE]


_MEMBERS = Memo(read_table, limit=1)
VOCABULARY_ID = f"{TOKENIZER_ID}+{zlib.crc32(TABLE.encode()):08x}"  # an index of other words is made anew
